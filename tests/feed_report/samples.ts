// Tags that follow a rule and tags that do not, by rule, for tags with many parts.
import { baseSamples } from "./base_samples.ts";
import { carriedSamples } from "./carried_samples.ts";
import { namespaceSamples } from "./namespace_samples.ts";
import { podcasterSamples } from "./podcaster_samples.ts";

export const samples = { ...baseSamples, ...namespaceSamples, ...podcasterSamples, ...carriedSamples };

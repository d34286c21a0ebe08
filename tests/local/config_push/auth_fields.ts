// The fields of Auth's configuration that the CLI requires in the Management API's responses. All but eight may be null.
const names = (prefix: string, middles: string, suffixes: string) =>
  middles.split(" ").flatMap((middle) => suffixes.split(" ").map((suffix) => `${prefix}${middle}${suffix}`));

const PROVIDERS = "apple azure bitbucket discord facebook figma github gitlab google kakao keycloak linkedin_oidc " +
  "slack_oidc notion slack spotify twitch twitter x workos zoom";
const HOOKS = "custom_access_token mfa_verification_attempt password_verification_attempt send_sms send_email " +
  "before_user_created after_user_created";
const NOTICES = "password_changed email_changed phone_changed mfa_factor_enrolled mfa_factor_unenrolled " +
  "identity_linked identity_unlinked";
const MAILS = `confirmation email_change invite magic_link reauthentication recovery ${
  NOTICES.replace(/\w+/g, "$&_notification")
}`;

const FIELDS = [
  ...names("external_", PROVIDERS, "_additional_client_ids _client_id _email_optional _enabled _secret _url"),
  ...names("external_", "anonymous_users email phone web3_solana web3_ethereum", "_enabled"),
  ...names("hook_", HOOKS, "_enabled _uri _secrets"),
  ...names("mailer_subjects_", MAILS, ""),
  ...names("mailer_templates_", MAILS, "_content"),
  ...names("mailer_notifications_", NOTICES, "_enabled"),
  ...names("mfa_", "totp phone web_authn", "_enroll_enabled _verify_enabled"),
  ...names("rate_limit_", "anonymous_users email_sent sms_sent token_refresh verify otp web3", ""),
  ...names("sms_messagebird_", "access_key originator", ""),
  ...names("sms_textlocal_", "api_key sender", ""),
  ...names("sms_twilio_", "account_sid auth_token content_sid message_service_sid", ""),
  ...names("sms_twilio_verify_", "account_sid auth_token message_service_sid", ""),
  ...names("sms_vonage_", "api_key api_secret from", ""),
  ...names("sms_", "autoconfirm max_frequency otp_exp provider template test_otp test_otp_valid_until", ""),
  ...names("smtp_", "admin_email host max_frequency pass port sender_name user", ""),
  ...names("security_captcha_", "enabled provider secret", ""),
  ...names("security_update_password_require_", "current_password reauthentication", ""),
  ...names("sessions_", "inactivity_timeout single_per_user tags timebox", ""),
  ...names("webauthn_rp_", "display_name id origins", ""),
  ...names("nimbus_oauth_", "client_id email_optional client_secret", ""),
  ...names("saml_", "enabled external_url allow_encrypted_assertions", ""),
  ...names("password_", "hibp_enabled min_length required_characters", ""),
  ...["api_max_request_duration", "db_max_pool_size", "db_max_pool_size_unit", "disable_signup"],
  ...["external_google_skip_nonce_check", "jwt_exp", "mailer_allow_unverified_email_sign_ins", "mailer_autoconfirm"],
  ...["mailer_otp_length", "mailer_secure_email_change_enabled", "mfa_max_enrolled_factors", "mfa_phone_template"],
  ...["mfa_phone_max_frequency", "refresh_token_rotation_enabled", "security_sb_forwarded_for_enabled"],
  ...["security_manual_linking_enabled", "security_refresh_token_reuse_interval", "site_url", "uri_allow_list"],
  "oauth_server_authorization_path",
];

export const authFields: Record<string, unknown> = {
  ...Object.fromEntries(FIELDS.map((name) => [name, null])),
  mailer_otp_exp: 3600,
  mfa_phone_otp_length: 6,
  sms_otp_length: 6,
  custom_oauth_max_providers: 0,
  passkey_enabled: false,
  oauth_server_enabled: false,
  oauth_server_allow_dynamic_registration: false,
  custom_oauth_enabled: false,
};

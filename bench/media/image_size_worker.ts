// image-size in a worker of its own, which can be ended when it does not come back.
import { imageSize } from "image-size";

export interface PeerAnswer {
  type?: string;
  width?: number;
  height?: number;
}

const scope = self as unknown as {
  onmessage(event: MessageEvent<Uint8Array>): void;
  postMessage(answer: PeerAnswer): void;
};

scope.onmessage = ({ data }) => {
  try {
    const { type, width, height } = imageSize(data);
    scope.postMessage({ type, width, height });
  } catch {
    scope.postMessage({});
  }
};

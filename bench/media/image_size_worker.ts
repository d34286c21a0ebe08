// image-size in a worker, which can be terminated when it hangs.
import { imageSize } from "image-size";

export interface PeerResult {
  type?: string;
  width?: number;
  height?: number;
}

const scope = self as unknown as {
  onmessage(event: MessageEvent<Uint8Array>): void;
  postMessage(result: PeerResult): void;
};

scope.onmessage = ({ data }) => {
  try {
    const { type, width, height } = imageSize(data);
    scope.postMessage({ type, width, height });
  } catch {
    scope.postMessage({});
  }
};

/** Carries the frames of a data channel: a WebSocket, or in tests something that loses them. */
export interface FrameLink {
  /** Names the one receiver; frames that came before are given to it. Call it once. */
  receive(receiver: FrameReceiver): void;
  /** A text is sent as a text frame. Does nothing once the link is closed. */
  send(frame: string | Buffer): void;
  /** Asks for a sign of life. */
  ping(): void;
  /** Takes no more frames from the peer until `resume`. */
  pause(): void;
  resume(): void;
  close(): void;
}

export interface FrameReceiver {
  frame(bytes: Buffer): void;
  /** The peer lives. */
  pong(): void;
  /** The link is gone, with what is known about why. Called once, also after `close`. */
  closed(reason: string): void;
}

/* What comes from outside: time, the way out, and addresses. */

/** Monotonic time. */
export interface SipClock {
  /** Milliseconds. */
  nowMs(): number
  /** Calls back once. @returns a function that cancels it */
  schedule(callback: () => void, delayMs: number): () => void
}

export interface HostPort {
  /** An IP address. */
  readonly host: string
  readonly port: number
}

/** Where messages go to or came from. */
export interface SipPeer extends HostPort {
  readonly transport: 'udp' | 'tcp' | 'tls'
}

/** The sockets that carry messages. */
export interface SignallingSockets {
  /** Never throws: a message that cannot be sent is lost, as on a network. */
  send(message: Buffer, to: SipPeer): void
  /** The address that peers reach, for Via and Contact. */
  addressFor(peer: SipPeer): HostPort
  /** Called with what arrives, once the agent listens. */
  listen(onMessage: (message: Buffer, from: SipPeer) => void): void
}

/** A pair of ports for the audio of one call. */
export interface MediaSocket {
  /** The address that peers reach, for SDP. */
  readonly local: HostPort
  sendRtp(packet: Uint8Array, to: HostPort): void
  sendRtcp(packet: Uint8Array, to: HostPort): void
  listen(events: {
    onRtp(packet: Uint8Array, from: HostPort): void
    onRtcp(packet: Uint8Array, from: HostPort): void
  }): void
  close(): void
}

/** Random bytes, of the quality that cryptography needs. */
export type RandomBytes = (count: number) => Uint8Array

export function randomHex(random: RandomBytes, bytes: number): string {
  return Buffer.from(random(bytes)).toString('hex')
}

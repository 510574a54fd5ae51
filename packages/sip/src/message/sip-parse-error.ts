/** What is wrong with bytes that should be SIP or SDP. */
export type SipFault =
  | 'too_large'
  | 'no_head_end'
  | 'start_line'
  | 'version'
  | 'header'
  | 'missing_header'
  | 'repeated_header'
  | 'uri'
  | 'length'
  | 'sdp'

/** The only error that the parsers throw. */
export class SipParseError extends Error {
  readonly fault: SipFault

  /** @param detail which line or header; never its content */
  constructor(fault: SipFault, detail: string) {
    super(`${fault}: ${detail}`)
    this.name = 'SipParseError'
    this.fault = fault
  }
}

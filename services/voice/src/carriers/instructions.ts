import type { StreamCarrier } from '@ratchet/contracts/voice/number-providers'

/** What a carrier does with a call next: TwiML, or the same of Telnyx (TeXML). */
export type Instruction =
  | {
      readonly kind: 'connect'
      /** The WebSocket that gets the audio. */
      readonly mediaUrl: string
      /** What is asked when it is closed. */
      readonly afterUrl: string
    }
  | { readonly kind: 'reject' }
  | { readonly kind: 'dial'; readonly number: string; readonly callerId: string }
  | { readonly kind: 'hang_up' }

/** Attributes of streams in both directions, in PCMU. */
const streamAttributes: Readonly<Record<StreamCarrier, string>> = {
  twilio: '',
  telnyx: ' track="inbound_track" codec="PCMU" bidirectionalMode="rtp" bidirectionalCodec="PCMU"',
}

export function writeInstruction(carrier: StreamCarrier, instruction: Instruction): string {
  return `<?xml version="1.0" encoding="UTF-8"?><Response>${verbOf(carrier, instruction)}</Response>`
}

function verbOf(carrier: StreamCarrier, instruction: Instruction): string {
  if (instruction.kind === 'hang_up') return '<Hangup/>'
  if (instruction.kind === 'reject') return '<Reject reason="busy"/>'
  if (instruction.kind === 'dial') {
    return `<Dial callerId="${escaped(instruction.callerId)}">${escaped(instruction.number)}</Dial>`
  }
  const stream = `<Stream url="${escaped(instruction.mediaUrl)}"${streamAttributes[carrier]}/>`
  return `<Connect action="${escaped(instruction.afterUrl)}" method="POST">${stream}</Connect>`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}

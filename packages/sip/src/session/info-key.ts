import { dtmfKeys } from '@ratchet/audio/dtmf/dtmf-tones'

/** The key in an INFO of a peer that sends keys so (`application/dtmf-relay`, `application/dtmf`), or null. */
export function eventKeyOf(contentType: string, body: string): string | null {
  const type = contentType.split(';')[0]?.trim().toLowerCase()
  const text = type === 'application/dtmf-relay' ? signalOf(body) : type === 'application/dtmf' ? body.trim() : ''
  const key = text.toUpperCase()
  return key.length === 1 && dtmfKeys.includes(key) ? key : null
}

function signalOf(body: string): string {
  for (const line of body.split('\n')) {
    const [name = '', value = ''] = line.split('=')
    if (name.trim().toLowerCase() === 'signal') return value.trim()
  }
  return ''
}

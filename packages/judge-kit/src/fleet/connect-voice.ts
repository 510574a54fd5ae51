import { readConversation } from '@ratchet/contracts/voice/internal-calls'
import { type CallerContext, connectService } from '@ratchet/service-kit/fleet/connect-service'
import { CallerKeys } from '@ratchet/service-kit/identity/caller-keys'
import { z } from 'zod'
import type { ExchangeMessage } from '../prompt/exchange.ts'
import type { LogReader } from './log-reader.ts'

/** Address of the voice service, and the keys that sign identities for it. */
export const voiceConfig = {
  VOICE_URL: z.url({ protocol: /^https?$/ }),
  VOICE_KEYS: CallerKeys,
}
const VoiceConfig = z.object(voiceConfig)

const clocks = { firstByteMs: 5_000, idleMs: 5_000, totalMs: 10_000 }

/** Reads calls of voice agents as they were heard. */
export function connectConversations(
  { VOICE_URL: url, VOICE_KEYS: keys }: z.output<typeof VoiceConfig>,
  context: CallerContext,
): NonNullable<LogReader['conversation']> {
  const voice = connectService({ audience: 'voice', url, keys, connections: 8, clocks }, context)
  return async (identity, traceId) => {
    const { conversation } = await voice.call(readConversation, { body: { trace_id: traceId } }, identity)
    if (conversation === null) return null
    const { messages, response, model } = conversation
    return { messages: messages as readonly ExchangeMessage[], response, model, tools: null }
  }
}

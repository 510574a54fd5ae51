import { z } from 'zod'
import { bytesOf, type RecognitionDialect, type RecognitionOrder, type SpeechAccess } from './recognition-dialect.ts'

const Message = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('Results'),
    is_final: z.boolean(),
    start: z.number().min(0),
    duration: z.number().min(0),
    channel: z.object({ alternatives: z.array(z.object({ transcript: z.string() })) }),
  }),
  z.object({ type: z.literal('Error') }),
])
const Other = z.object({ type: z.string() })

/** Live audio of Deepgram, `/v1/listen`. */
export function deepgramRecognition(
  access: SpeechAccess,
  { model, language, keywords, sampleRate }: RecognitionOrder,
): RecognitionDialect {
  const query = new URLSearchParams({
    model,
    language,
    encoding: 'linear16',
    sample_rate: String(sampleRate),
    channels: '1',
    interim_results: 'true',
    punctuate: 'true',
  })
  // Nova-3 has key terms in place of the keywords of older models.
  for (const keyword of keywords) query.append(model.startsWith('nova-3') ? 'keyterm' : 'keywords', keyword)
  return {
    access,
    sampleRate,
    path: `/v1/listen?${query}`,
    headers: { authorization: `Token ${access.apiKey}` },
    talk: () => ({
      greetings: [],
      audio: bytesOf,
      flush: () => JSON.stringify({ type: 'Finalize' }),
      due: () => null,
      read(message) {
        const known = Message.safeParse(message)
        if (!known.success) {
          const { type } = Other.parse(message)
          if (type === 'Results') throw known.error
          return []
        }
        if (known.data.type === 'Error') return 'failed'
        const { is_final: isFinal, start, duration, channel } = known.data
        const text = channel.alternatives[0]?.transcript ?? ''
        return [{ text, isFinal, untilMs: isFinal ? (start + duration) * 1_000 : null }]
      },
    }),
  }
}

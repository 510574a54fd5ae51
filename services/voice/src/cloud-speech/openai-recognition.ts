import { z } from 'zod'
import {
  bytesOf,
  type HeardPart,
  type RecognitionDialect,
  type RecognitionOrder,
  type RecognitionTalk,
  type SpeechAccess,
} from './recognition-dialect.ts'

/** The only rate that the interface takes. */
const sampleRate = 24_000
/** A shorter buffer is refused. */
const minCommitMs = 100
/** A segment without a pause is committed after this long, so that the buffer of the provider does not grow. */
const maxSegmentMs = 30_000
/** Segments of which parts may come at the same time. */
const maxItems = 32

const id = z.string().min(1).max(200)
const Message = z.discriminatedUnion('type', [
  z.object({ type: z.literal('input_audio_buffer.committed'), item_id: id }),
  z.object({ type: z.literal('conversation.item.input_audio_transcription.delta'), item_id: id, delta: z.string() }),
  z.object({
    type: z.literal('conversation.item.input_audio_transcription.completed'),
    item_id: id,
    transcript: z.string(),
  }),
  z.object({ type: z.literal('conversation.item.input_audio_transcription.failed'), item_id: id }),
  z.object({ type: z.literal('error'), error: z.object({ code: z.string().nullish() }) }),
])
type Message = z.output<typeof Message>
const Other = z.object({ type: z.string() })
const read: ReadonlySet<string> = new Set(Message.options.map((option) => option.shape.type.value))

/** Realtime transcription of OpenAI. The pauses are ours, so its own detection of turns is off. */
export function openaiRecognition(access: SpeechAccess, order: RecognitionOrder): RecognitionDialect {
  return {
    access,
    sampleRate,
    path: '/realtime?intent=transcription',
    headers: { authorization: `Bearer ${access.apiKey}` },
    talk: () => openTalk(order),
  }
}

function openTalk({ model, language, keywords }: RecognitionOrder): RecognitionTalk {
  const [primary = language] = language.split('-')
  const transcription = { model, language: primary, ...(keywords.length === 0 ? {} : { keywords }) }
  const input = { format: { type: 'audio/pcm', rate: sampleRate }, transcription, turn_detection: null }
  const session = { type: 'transcription', audio: { input } }
  /** Parts of segments, by item. */
  const texts = new Map<string, string>()
  const endOfItem = new Map<string, number>()
  /** Where the committed segments end that have no item yet. */
  const ends: number[] = []
  let sentMs = 0
  let committedMs = 0

  const commit = (): string | null => {
    if (sentMs - committedMs < minCommitMs) return null
    committedMs = sentMs
    ends.push(sentMs)
    return JSON.stringify({ type: 'input_audio_buffer.commit' })
  }
  const take = (message: Exclude<Message, { type: 'error' }>): readonly HeardPart[] | 'failed' => {
    const { item_id: item } = message
    if (message.type === 'input_audio_buffer.committed') {
      endOfItem.set(item, ends.shift() ?? committedMs)
      return []
    }
    if (message.type.endsWith('.failed')) return 'failed'
    if (message.type === 'conversation.item.input_audio_transcription.delta') {
      const text = `${texts.get(item) ?? ''}${message.delta}`
      texts.set(item, text)
      if (texts.size > maxItems) throw new Error('too many segments at the same time')
      return [{ text: text.trim(), isFinal: false, untilMs: null }]
    }
    const text = message.type === 'conversation.item.input_audio_transcription.completed' ? message.transcript : ''
    const untilMs = endOfItem.get(item) ?? null
    texts.delete(item)
    endOfItem.delete(item)
    return [{ text: text.trim(), isFinal: true, untilMs }]
  }

  return {
    greetings: [JSON.stringify({ type: 'session.update', session })],
    audio(pcm) {
      sentMs += (pcm.length * 1_000) / sampleRate
      return JSON.stringify({ type: 'input_audio_buffer.append', audio: Buffer.from(bytesOf(pcm)).toString('base64') })
    },
    flush: commit,
    due: () => (sentMs - committedMs >= maxSegmentMs ? commit() : null),
    read(message) {
      if (!read.has(Other.parse(message).type)) return []
      const known = Message.parse(message)
      if (known.type !== 'error') return take(known)
      return known.error.code === 'input_audio_buffer_commit_empty' ? [] : 'failed'
    },
  }
}

import { decimalIn, type Fields, missing, textOf, wrongType, wrongValue } from './read-fields.ts'
import type { FormFile } from './read-form.ts'
import type { Call, Reply } from './reply.ts'
import { WireError } from './wire-error.ts'

const soundTypes: Readonly<Record<string, string>> = {
  mp3: 'audio/mpeg',
  opus: 'audio/opus',
  aac: 'audio/aac',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
}
const maxCharacters = 4_096

/** POST /v1/audio/speech: the letters of the input stand for its sound, after the name of the format. */
export function answerSpeech({ body }: Call): Reply {
  const input = textOf(body, 'input')
  textOf(body, 'voice')
  decimalIn(body, 'speed', 0.25, 4)
  if (input.length > maxCharacters) {
    const message = `Invalid 'input': string too long. Expected a string with maximum length ${maxCharacters}.`
    throw new WireError(400, message, { param: 'input', code: 'string_above_max_length' })
  }
  const format = String(body.response_format ?? 'mp3')
  const contentType = soundTypes[format]
  if (contentType === undefined) throw wrongValue('response_format', format, Object.keys(soundTypes))
  return { kind: 'json', status: 200, body: Buffer.from(`${format}:${input}`), tokens: 0, usage: null, contentType }
}

const transcriptFormats = ['json', 'text', 'srt', 'verbose_json', 'vtt']
/** Bytes of a second of sound that has no head of a WAV file. */
const usualByteRate = 16_000

/** POST /v1/audio/transcriptions: a text about the length of the sound. */
export function answerTranscription({ body, behaviour }: Call): Reply {
  const sound = fileOf(body)
  const format = String(body.response_format ?? 'json')
  if (!transcriptFormats.includes(format)) throw wrongValue('response_format', format, transcriptFormats)
  const duration = secondsOf(sound)
  const text = `A recording of ${duration.toFixed(1)} seconds.`
  if (format !== 'json' && format !== 'verbose_json') {
    return { kind: 'json', status: 200, body: text, tokens: 0, usage: null, contentType: 'text/plain; charset=utf-8' }
  }
  const isReported = behaviour?.kind !== 'no-usage'
  const counts = isReported ? { usage: { type: 'duration', seconds: Math.ceil(duration) } } : {}
  const segments = [{ id: 0, start: 0, end: duration, text: ` ${text}` }]
  const details = { task: 'transcribe', language: 'english', ...(isReported ? { duration } : {}), segments }
  const reply = { ...(format === 'verbose_json' ? details : {}), text, ...counts }
  return { kind: 'json', status: 200, body: JSON.stringify(reply), tokens: 0, usage: null }
}

function fileOf({ file }: Fields): Buffer {
  if (file === undefined) throw missing('file')
  if (typeof file !== 'object') throw wrongType('file', 'a file', file)
  return (file as FormFile).bytes
}

function secondsOf(sound: Buffer): number {
  const isWav = sound.length >= 44 && sound.toString('latin1', 0, 4) === 'RIFF'
  return isWav ? (sound.length - 44) / sound.readUInt32LE(28) : sound.length / usualByteRate
}

import { type SoundFormat, soundTypes } from '@ratchet/contracts/sound'
import { asObject } from '@ratchet/service-kit/values/json'
import { noRoomForAnswer } from '../../providers/provider-error.ts'
import { readObject } from '../chat/read-reply.ts'
import type { ProviderFailure, ProviderReply, ProviderRequest } from '../provider.ts'
import { noUsage } from '../usage.ts'
import { soundFileOf } from './sound-form.ts'
import { soundSeconds } from './sound-seconds.ts'

/** A spoken text as JSON: the sound in base64 under `audio`, and its media type. What is paid are the characters. */
export function readSpeechReply(bytes: Buffer, request: ProviderRequest): ProviderReply | ProviderFailure | null {
  if (bytes.length === 0) return null
  const { response_format: format, input } = request.body
  if (request.limits.reserve?.(2 * bytes.length) === false) return noRoomForAnswer(bytes.length)
  const content_type = soundTypes[(format ?? 'mp3') as SoundFormat] ?? soundTypes.mp3
  const written = Buffer.from(JSON.stringify({ content_type, audio: bytes.toString('base64') }))
  const read = readObject(written)
  if (read === null) return null
  return { bytes: written, scan: read.scan, usage: { ...noUsage, units: charactersOf(input) }, pieces: [] }
}

/** Characters as a person counts them: an emoji outside the basic plane is one. */
export function charactersOf(text: unknown): number {
  return typeof text === 'string' ? Array.from(text).length : 0
}

/** Reads a transcript in JSON; null when it is none. A provider that does not say how long the sound is, is asked by its bytes. */
export function readTranscriptionReply(bytes: Buffer, { body }: ProviderRequest): ProviderReply | null {
  const read = readObject(bytes)
  if (read === null || typeof read.body.text !== 'string') return null
  const { usage, duration } = read.body
  const file = soundFileOf(body)
  const reported = [asObject(usage)?.seconds, duration].find((value) => typeof value === 'number' && value >= 0)
  const units =
    reported === undefined ? soundSeconds(file?.bytes ?? Buffer.alloc(0)).usual : Math.ceil(Number(reported))
  return { bytes, scan: read.scan, usage: { ...noUsage, units }, pieces: [] }
}

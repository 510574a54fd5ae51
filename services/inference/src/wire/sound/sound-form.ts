import { createHash } from 'node:crypto'
import { asList, asObject, asText } from '@ratchet/service-kit/values/json'
import type { Body } from '../dialect.ts'

/** The sound in the JSON form of a transcription request. */
export interface SoundFile {
  readonly name: string
  readonly bytes: Buffer
}

/** Null for a body without a sound. */
export function soundFileOf({ file }: Body): SoundFile | null {
  const { name, data } = asObject(file) ?? {}
  if (typeof data !== 'string') return null
  return { name: asText(name) ?? 'sound', bytes: Buffer.from(data, 'base64') }
}

export interface WrittenForm {
  readonly contentType: string
  readonly bytes: Buffer
}

/** The JSON form of a transcription request as the form that providers take. Lists become repeated fields. */
export function writeSoundForm(body: Body): WrittenForm {
  const { name = 'sound', bytes = Buffer.alloc(0) } = soundFileOf(body) ?? {}
  const fields = Object.entries(body).flatMap(([key, value]) =>
    key === 'file' || value === null
      ? []
      : (Array.isArray(value) ? asList(value) : [value]).map((one) => [key, one] as const),
  )
  const hash = createHash('sha256').update(bytes)
  for (const [key, value] of fields) hash.update(`${key} ${value} `)
  // A content cannot contain its own hash, so the boundary occurs nowhere else.
  const boundary = `ratchet-${hash.digest('hex').slice(0, 32)}`
  const parts = fields.map(([key, value]) =>
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; name="${key}"\r\n\r\n${value}\r\n`),
  )
  const head =
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${plainName(name)}"\r\n` +
    'Content-Type: application/octet-stream\r\n\r\n'
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    bytes: Buffer.concat([...parts, Buffer.from(head), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]),
  }
}

function plainName(name: string): string {
  return name.replace(/[^\w.-]/g, '_')
}

import { readSmallForm } from '@ratchet/service-kit/http/read-small-form'
import { asList, asObject } from '@ratchet/service-kit/values/json'
import { readObject } from '../wire/chat/read-reply.ts'
import type { Rewrite } from './rewritten-exchange.ts'
import { type Segment, writeSubtitles } from './write-subtitles.ts'

/** A form with a sound as JSON, and the transcript in the format that the form asks for. For one request. */
export function openTranscriptionRewrite(): Rewrite {
  let format: unknown = null
  return {
    async request(bytes, contentType) {
      const { fields, file } = await readSmallForm(bytes, contentType)
      format = fields.get('response_format')
      const sound = file === null ? {} : { file: { name: file.filename, data: file.bytes.toString('base64') } }
      return Buffer.from(JSON.stringify({ ...Object.fromEntries(fields), ...sound }))
    },
    reply(bytes) {
      const { text, segments } = readObject(bytes)?.body ?? {}
      if (format === 'text') return plain(`${String(text).trim()}\n`)
      if (format === 'srt' || format === 'vtt') return plain(writeSubtitles(format, segmentsOf(segments)))
      return bytes
    },
    frame: (raw) => raw,
  }
}

function plain(text: string) {
  return { bytes: Buffer.from(text), contentType: 'text/plain; charset=utf-8' }
}

function segmentsOf(value: unknown): readonly Segment[] {
  return asList(value).flatMap((item) => {
    const { start, end, text } = asObject(item) ?? {}
    return typeof start === 'number' && typeof end === 'number' && typeof text === 'string'
      ? [{ start, end, text }]
      : []
  })
}

import { transcriptFormats } from '@ratchet/contracts/sound'
import type { Body } from '../../wire/dialect.ts'
import { soundFileOf } from '../../wire/sound/sound-form.ts'
import { soundSeconds } from '../../wire/sound/sound-seconds.ts'
import { unsupportedParameter } from '../../wire/unsupported-parameter.ts'
import { checkFields, type FieldRule, optional } from '../check-fields.ts'
import { finishWithCounts } from '../finish-with-counts.ts'
import type { RequestFacts, Surface } from '../surface.ts'

/** The Transcriptions API of OpenAI, for a request in JSON that has the sound in base64. */
export const transcriptionsSurface: Surface = {
  dialect: 'transcriptions',
  serves: 'transcription',
  readFacts,
  unsupportedParameter,
  finishReply: (reply, charged) =>
    finishWithCounts(reply, charged, ({ units = 0 }) => ({ type: 'duration', seconds: units })),
  stream: null,
  errorFrame: (envelope) => `data: ${JSON.stringify(envelope)}\n\n`,
}

function readFacts(body: Body): RequestFacts {
  const { requestedModel, fallbackModels } = checkFields(body, rules)
  const units = soundSeconds(soundFileOf(body)?.bytes ?? Buffer.alloc(0))
  const prompt = { items: 1, tools: 0, mediaParts: 0, mediaLength: 0, unbounded: false }
  return {
    requestedModel,
    fallbackModels,
    stream: false,
    includeUsage: false,
    n: 1,
    maxTokens: 0,
    searches: 0,
    units,
    prompt,
  }
}

const rules: readonly FieldRule[] = [
  {
    param: 'file',
    accepts: (value) => (soundFileOf({ file: value })?.bytes.length ?? 0) > 0,
    demand: 'must be a part with a file name and a sound',
  },
  {
    param: 'response_format',
    accepts: optional((value) => transcriptFormats.some((format) => format === value)),
    demand: `must be one of ${transcriptFormats.join(', ')}`,
  },
  {
    param: 'stream',
    accepts: optional((value) => value === 'false' || value === false),
    demand: 'must be false: transcripts are not streamed',
  },
]

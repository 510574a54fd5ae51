import { soundTypes } from '@ratchet/contracts/sound'
import { isObject } from '@ratchet/service-kit/values/json'
import type { Body } from '../../wire/dialect.ts'
import { charactersOf } from '../../wire/sound/read-sound-replies.ts'
import { unsupportedParameter } from '../../wire/unsupported-parameter.ts'
import { checkFields, type FieldRule, isText, optional } from '../check-fields.ts'
import { finishWithCounts } from '../finish-with-counts.ts'
import type { RequestFacts, Surface } from '../surface.ts'

/** Longer texts do not fit into an answer that is sent in one piece. OpenAI takes 4,096. */
const maxCharacters = 16_384

/** The Speech API of OpenAI, with an answer in JSON that has the sound in base64. */
export const speechSurface: Surface = {
  dialect: 'speech',
  serves: 'speech',
  readFacts,
  unsupportedParameter,
  finishReply: (reply, charged) => finishWithCounts(reply, charged, ({ units = 0 }) => ({ characters: units })),
  stream: null,
  errorFrame: (envelope) => `data: ${JSON.stringify(envelope)}\n\n`,
}

function readFacts(body: Body): RequestFacts {
  const { requestedModel, fallbackModels } = checkFields(body, rules)
  const characters = charactersOf(body.input)
  const prompt = { items: characters, tools: 0, mediaParts: 0, mediaLength: 0, unbounded: false }
  const units = { most: characters, usual: characters }
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
    param: 'input',
    accepts: (value) => isText(value) && value.length <= maxCharacters,
    demand: `must be a string of 1 to ${maxCharacters} characters`,
  },
  {
    param: 'voice',
    accepts: (value) => isText(value) || isObject(value),
    demand: 'must be the name of a voice',
  },
  {
    param: 'response_format',
    accepts: optional((value) => typeof value === 'string' && Object.hasOwn(soundTypes, value)),
    demand: `must be one of ${Object.keys(soundTypes).join(', ')}`,
  },
  {
    param: 'stream_format',
    accepts: optional((value) => value === 'audio'),
    demand: 'must be "audio": the sound is sent in one piece',
  },
]

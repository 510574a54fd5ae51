import { answerEmbeddings } from '../embeddings.ts'
import { type Fields, isFields, textOf, wrongType } from '../read-fields.ts'
import type { Call, Reply } from '../reply.ts'
import { WireError } from '../wire-error.ts'
import { checkKnown } from './known-members.ts'

const members = new Set(['model', 'content', 'taskType', 'title', 'outputDimensionality'])
const maxRequests = 100

/** POST /v1beta/models/{model}:batchEmbedContents: the vectors of `/v1/embeddings` in Google's format. */
export function answerBatchEmbed(call: Call): Reply {
  const requests = readRequests(call)
  const input = requests.map(readText)
  const reply = answerEmbeddings({ ...call, body: { input, dimensions: requests[0]?.outputDimensionality } })
  if (reply.kind !== 'json') throw new Error('embeddings are never streamed')
  const { data, usage } = JSON.parse(reply.body.toString())
  const reported = isFields(usage) ? { usageMetadata: { promptTokenCount: usage.prompt_tokens } } : {}
  const embeddings = data.map(({ embedding }: { embedding: number[] }) => ({ values: embedding }))
  return { ...reply, body: JSON.stringify({ embeddings, ...reported }) }
}

function readRequests({ body, model }: Call): readonly Fields[] {
  const { requests } = body
  if (!Array.isArray(requests) || requests.length === 0) {
    throw new WireError(400, '* BatchEmbedContentsRequest.requests: requests is not specified\n')
  }
  if (requests.length > maxRequests) {
    const message = `* BatchEmbedContentsRequest.requests: at most ${maxRequests} requests can be in one batch\n`
    throw new WireError(400, message)
  }
  return requests.map((request, index) => {
    const path = `requests[${index}]`
    if (!isFields(request)) throw wrongType(path, 'an object', request)
    checkKnown(request, path, members)
    if (request.model === `models/${model.id}`) return request
    throw new WireError(400, `* BatchEmbedContentsRequest.${path}.model: model must match the model of the batch\n`)
  })
}

function readText({ content }: Fields): string {
  const parts = isFields(content) && Array.isArray(content.parts) ? content.parts : []
  return parts.map((part) => textOf(isFields(part) ? part : {}, 'text')).join('\n')
}

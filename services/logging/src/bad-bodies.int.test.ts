import { type LoggingService, type RequestChoices, refusalOf, startLoggingService } from './logging-service.fixture.ts'

let service: LoggingService

beforeAll(async () => {
  service = await startLoggingService()
}, 60_000)
afterAll(() => service?.stop())

const noDataset = `ds_${'0'.repeat(32)}`
const noFile = `file-${'0'.repeat(32)}`
const amount = 'must be a number from 0 to 1,000,000.'
const yesOrNo = 'must be true or false.'
const jsonType = { 'content-type': 'application/json' }
const curate = (more: object) => ({ method: 'POST', path: '/v1/datasets/from_logs', body: { name: 'n', ...more } })
const upload = (more: object) => ({ method: 'POST', path: '/v1/datasets', body: { name: 'n', ...more } })
const answered = { messages: [{ role: 'assistant', content: 'x' }] }
const rename = { method: 'PATCH', path: `/v1/datasets/${noDataset}` }
const form = (...parts: readonly (readonly [string, string, string?])[]) => {
  const data = new FormData()
  for (const [name, value, filename] of parts) {
    if (filename === undefined) data.append(name, value)
    else data.append(name, new Blob([value]), filename)
  }
  return data
}
const rawForm = (part: string) => ({
  body: `--b\r\n${part}\r\n\r\n{}\r\n--b--\r\n`,
  headers: { 'content-type': 'multipart/form-data; boundary=b' },
})

it.each<[what: string, choices: RequestChoices, status: number, code: string, param: string | null, message: string]>([
  [
    'invalid JSON',
    { ...curate({}), body: '{', headers: jsonType },
    400,
    'invalid_request',
    null,
    'The body is not JSON.',
  ],
  [
    'a list',
    { ...curate({}), body: '[]', headers: jsonType },
    400,
    'invalid_request',
    null,
    'The body must be an object.',
  ],
  [
    'no body',
    { ...curate({}), body: undefined },
    415,
    'unsupported_media_type',
    'Content-Type',
    'Send the body as application/json.',
  ],
  [
    'another type',
    { ...curate({}), body: 'name=n', headers: { 'content-type': 'text/plain' } },
    415,
    'unsupported_media_type',
    'Content-Type',
    'Send the body as application/json.',
  ],
  ['no name', { ...curate({}), body: {} }, 400, 'invalid_request', 'name', '`name` is required.'],
  ['a blank name', curate({ name: ' ' }), 400, 'invalid_request', 'name', '`name` must not be empty.'],
  [
    'a name with half of a surrogate pair',
    upload({ name: 'a\ud800', examples: [answered] }),
    400,
    'invalid_request',
    'name',
    '`name` must be well-formed Unicode.',
  ],
  [
    'a description with half of a surrogate pair',
    upload({ description: '\udc00', examples: [answered] }),
    400,
    'invalid_request',
    'description',
    '`description` must be well-formed Unicode.',
  ],
  [
    'a name with NUL',
    curate({ name: 'a\0' }),
    400,
    'invalid_request',
    'name',
    '`name` must not contain the character NUL.',
  ],
  [
    'too large a holdout',
    curate({ holdout_pct: 100 }),
    400,
    'invalid_request',
    'holdout_pct',
    '`holdout_pct` must be at most 99.',
  ],
  [
    'an unknown filter',
    curate({ filters: { colour: 1 } }),
    400,
    'unknown_parameter',
    'filters.colour',
    'Unknown parameter: filters.colour.',
  ],
  [
    'an empty amount',
    curate({ filters: { min_cost_usd: '' } }),
    400,
    'invalid_request',
    'filters.min_cost_usd',
    `\`filters.min_cost_usd\` ${amount}`,
  ],
  [
    'null for an amount',
    curate({ filters: { min_cost_usd: null } }),
    400,
    'invalid_request',
    'filters.min_cost_usd',
    `\`filters.min_cost_usd\` ${amount}`,
  ],
  [
    'an invalid flag',
    curate({ filters: { canary: 1 } }),
    400,
    'invalid_request',
    'filters.canary',
    `\`filters.canary\` ${yesOrNo}`,
  ],
  [
    'an invalid weight',
    curate({ weight_earlier_turns: 2 }),
    400,
    'invalid_request',
    'weight_earlier_turns',
    '`weight_earlier_turns` must be 0 or 1.',
  ],
  [
    'a judge that is not there',
    curate({ criterion_id: 'crit_1' }),
    404,
    'not_found',
    'criterion_id',
    'No criterion has this id.',
  ],
  [
    'nothing that matches',
    curate({ filters: { tag: 'none' } }),
    400,
    'invalid_request',
    'filters',
    'No exchange matches.',
  ],
  ['no source', upload({}), 400, 'invalid_request', 'examples', 'Send either examples or a file_id.'],
  [
    'two sources',
    upload({ examples: [answered], file_id: noFile }),
    400,
    'invalid_request',
    'examples',
    'Send either examples or a file_id.',
  ],
  ['two files', upload({ file_id: 'a', fileId: 'b' }), 400, 'invalid_request', 'fileId', 'file_id and fileId differ.'],
  ['a file that is not there', upload({ file_id: noFile }), 404, 'not_found', 'file_id', 'No file has this id.'],
  ['no examples', upload({ examples: [] }), 400, 'invalid_request', 'examples', '`examples` must not be empty.'],
  [
    'an invalid role',
    upload({ examples: [{ messages: [{ role: 'robot' }] }] }),
    400,
    'invalid_request',
    'examples.0.messages.0.role',
    '`examples.0.messages.0.role` must be system, developer, user, assistant, tool or function.',
  ],
  [
    'invalid content',
    upload({ examples: [{ messages: [{ role: 'user', content: 1 }] }] }),
    400,
    'invalid_request',
    'examples.0.messages.0.content',
    '`examples.0.messages.0.content` must be a string, an array or null.',
  ],
  [
    'a part without a type',
    upload({ examples: [{ messages: [{ role: 'user', content: [{}] }] }] }),
    400,
    'invalid_request',
    'examples.0.messages.0.content.0.type',
    '`examples.0.messages.0.content.0.type` is required.',
  ],
  [
    'no answer',
    upload({ examples: [{ messages: [{ role: 'user', content: 'x' }] }] }),
    400,
    'invalid_request',
    'examples.0.messages.0',
    "The last message must be the assistant's reply.",
  ],
  [
    'a form without a file',
    { ...upload({}), body: form(['name', 'n']) },
    400,
    'invalid_request',
    'file',
    'The form has no file.',
  ],
  [
    'a file without examples',
    { ...upload({}), body: form(['file', '\n', 'f']) },
    400,
    'invalid_request',
    'file',
    'There are no examples.',
  ],
  [
    'an invalid line',
    { ...upload({}), body: form(['file', '\n{}', 'f']) },
    400,
    'invalid_request',
    'file.2',
    'Line 2 is not a training example: `messages` is required.',
  ],
  [
    'a part without a name',
    { ...upload({}), ...rawForm('Content-Disposition: form-data; filename="f"') },
    400,
    'invalid_request',
    'Content-Disposition',
    'Every part of the form must have a name in its Content-Disposition header.',
  ],
  [
    'a field without a name',
    { ...upload({}), ...rawForm('Content-Disposition: form-data') },
    400,
    'invalid_request',
    'Content-Disposition',
    'Every part of the form must have a name in its Content-Disposition header.',
  ],
  [
    'a dataset that is not there',
    { ...rename, body: { name: 'n' } },
    404,
    'not_found',
    'id',
    'No dataset has this id.',
  ],
  [
    'a change of what is frozen',
    { ...rename, body: { examples: [] } },
    400,
    'unknown_parameter',
    'examples',
    'Unknown parameter: examples.',
  ],
  [
    'a file as JSON',
    { method: 'POST', path: '/v1/files', body: {} },
    415,
    'unsupported_media_type',
    'Content-Type',
    'Send the file as multipart/form-data.',
  ],
  [
    'a file without a purpose',
    { method: 'POST', path: '/v1/files', body: form(['file', 'x', 'f']) },
    400,
    'invalid_request',
    'purpose',
    '`purpose` is required.',
  ],
  [
    'a file for another purpose',
    { method: 'POST', path: '/v1/files', body: form(['file', 'x', 'f'], ['purpose', 'fun']) },
    400,
    'invalid_request',
    'purpose',
    '`purpose` must be fine-tune or batch.',
  ],
  [
    'an import without entries',
    { method: 'POST', path: '/v1/logs/import', body: {} },
    400,
    'invalid_request',
    'logs',
    '`logs` is required.',
  ],
  [
    'an import of text',
    { method: 'POST', path: '/v1/logs/import', body: 'x', headers: { 'content-type': 'text/plain' } },
    415,
    'unsupported_media_type',
    'Content-Type',
    'Send the entries as application/json, application/jsonl, application/x-ndjson or multipart/form-data.',
  ],
  [
    'an import with a field besides',
    { method: 'POST', path: '/v1/logs/import', body: { logs: [{}], log: 1 } },
    400,
    'unknown_parameter',
    'log',
    'Unknown parameter: log.',
  ],
  [
    'invalid traces',
    { method: 'POST', path: '/v1/traces', body: { resourceSpans: {} } },
    400,
    'invalid_request',
    'resourceSpans',
    '`resourceSpans` must be an array in an ExportTraceServiceRequest.',
  ],
])('refuses %s, and names the cause', async (_what, choices, status, code, param, message) => {
  expect(await refusalOf(service, choices)).toEqual({ status, code, param, message })
})

import { type LoggingService, refusalOf, startLoggingService } from './logging-service.fixture.ts'

let service: LoggingService

beforeAll(async () => {
  service = await startLoggingService()
}, 60_000)
afterAll(() => service?.stop())

const wholeFrom1 = (most: string) => `must be a whole number from 1 to ${most}.`
const offsets = 'must be a whole number from 0 to 10,000.'
const amount = 'must be a number from 0 to 1,000,000.'
const yesOrNo = 'must be true or false.'
const moment = 'must be an ISO 8601 date-time with its zone, such as 2026-11-21T10:00:00Z, or a date.'

it.each<[path: string, param: string, demand: string]>([
  ['/v1/logs?limit=', 'limit', wholeFrom1('200')],
  ['/v1/logs?limit=0', 'limit', wholeFrom1('200')],
  ['/v1/logs?limit=201', 'limit', wholeFrom1('200')],
  ['/v1/logs?limit=ten', 'limit', wholeFrom1('200')],
  ['/v1/logs?limit=1.5', 'limit', wholeFrom1('200')],
  ['/v1/logs?limit=1e1', 'limit', wholeFrom1('200')],
  ['/v1/logs?limit=1&limit=2', 'limit', wholeFrom1('200')],
  ['/v1/logs?offset=-1', 'offset', offsets],
  ['/v1/logs?offset=10001', 'offset', offsets],
  ['/v1/logs?offset=', 'offset', offsets],
  ['/v1/logs?min_cost_usd=', 'min_cost_usd', amount],
  ['/v1/logs?min_cost_usd=cheap', 'min_cost_usd', amount],
  ['/v1/logs?min_cost_usd=-1', 'min_cost_usd', amount],
  ['/v1/logs?min_cost_usd=Infinity', 'min_cost_usd', amount],
  ['/v1/logs?cache_hit=', 'cache_hit', yesOrNo],
  ['/v1/logs?cache_hit=yes', 'cache_hit', yesOrNo],
  ['/v1/logs?canary=1', 'canary', yesOrNo],
  ['/v1/logs?has_tool_calls=TRUE', 'has_tool_calls', yesOrNo],
  ['/v1/logs?start=', 'start', moment],
  ['/v1/logs?start=yesterday', 'start', moment],
  ['/v1/logs?end=2026-02-30', 'end', moment],
  ['/v1/logs?end=2026-11-21T10:00:00', 'end', moment],
  ['/v1/logs?model=', 'model', 'must not be empty.'],
  [`/v1/logs?tag=${'t'.repeat(201)}`, 'tag', 'must have at most 200 characters.'],
  ['/v1/logs?tag=a%00', 'tag', 'must not contain the character NUL.'],
  ['/v1/logs?q=', 'q', 'must not be empty.'],
  ['/v1/logs?q=%20', 'q', 'must not be empty.'],
  ['/v1/logs?content=some', 'content', 'must be all or none.'],
  ['/v1/logs/export?min_cost_usd=', 'min_cost_usd', amount],
  ['/v1/logs/segments?limit=', 'limit', wholeFrom1('200')],
  ['/v1/logs/segments?offset=x', 'offset', offsets],
  ['/v1/traces?limit=', 'limit', wholeFrom1('200')],
  ['/v1/traces?min_steps=', 'min_steps', wholeFrom1('10,000')],
  ['/v1/traces?min_steps=0', 'min_steps', wholeFrom1('10,000')],
  ['/v1/traces?after=', 'after', 'must not be empty.'],
  ['/v1/datasets?limit=', 'limit', wholeFrom1('200')],
  ['/v1/datasets?offset=-5', 'offset', 'must be a whole number from 0 to 2,147,483,647.'],
  ['/v1/datasets?kind=test', 'kind', 'must be train or eval.'],
  ['/v1/files?limit=', 'limit', wholeFrom1('10,000')],
  ['/v1/files?limit=10001', 'limit', wholeFrom1('10,000')],
  ['/v1/files?order=up', 'order', 'must be asc or desc.'],
])('names the parameter at fault in GET %s, and its allowed values', async (path, param, demand) => {
  const message = `\`${param}\` ${demand}`
  expect(await refusalOf(service, { path })).toEqual({ status: 400, code: 'invalid_request', param, message })
})

const noLog = `log_${'0'.repeat(32)}`
const noDataset = `ds_${'0'.repeat(32)}`
const noFile = `file-${'0'.repeat(32)}`

it.each<[method: string, path: string, status: number, code: string, param: string | null, message: string]>([
  ['GET', '/v1/logs?colour=red', 400, 'unknown_parameter', 'colour', 'Unknown parameter: colour.'],
  ['GET', '/v1/logs?after=log_1', 400, 'invalid_request', 'after', 'after is not the id of a log entry.'],
  ['GET', '/v1/logs?after=', 400, 'invalid_request', 'after', 'after is not the id of a log entry.'],
  ['GET', '/v1/logs/log_1', 404, 'not_found', 'id', 'No log entry has this id.'],
  ['GET', '/v1/logs/%00', 404, 'not_found', 'id', 'No log entry has this id.'],
  ['GET', `/v1/logs/${noLog}?content=none`, 400, 'unknown_parameter', 'content', 'Unknown parameter: content.'],
  ['DELETE', `/v1/logs/${noLog}`, 404, 'not_found', 'id', 'No log entry has this id.'],
  ['GET', '/v1/traces/none', 404, 'not_found', 'trace_id', 'No trace has this id.'],
  ['GET', '/v1/traces/%00', 400, 'invalid_request', 'trace_id', '`trace_id` must not contain the character NUL.'],
  ['GET', '/v1/traces/none/export', 404, 'not_found', 'trace_id', 'No trace has this id.'],
  ['GET', '/v1/traces?after=none', 400, 'invalid_request', 'after', 'after is not the id of a trace that matches.'],
  ['GET', '/v1/traces?after=%00', 400, 'invalid_request', 'after', '`after` must not contain the character NUL.'],
  ['GET', '/v1/setup/status?x=1', 400, 'unknown_parameter', 'x', 'Unknown parameter: x.'],
  ['GET', '/v1/datasets/ds_1', 404, 'not_found', 'id', 'No dataset has this id.'],
  [
    'GET',
    `/v1/datasets/${noDataset}/examples?limit=`,
    400,
    'invalid_request',
    'limit',
    `\`limit\` ${wholeFrom1('200')}`,
  ],
  [
    'GET',
    `/v1/datasets/${noDataset}/export?format=xml`,
    400,
    'invalid_request',
    'format',
    '`format` must be openai, openai_evals, sharegpt or csv.',
  ],
  ['DELETE', `/v1/datasets/${noDataset}`, 404, 'not_found', 'id', 'No dataset has this id.'],
  ['GET', '/v1/datasets?name=%00', 400, 'invalid_request', 'name', '`name` must not contain the character NUL.'],
  [
    'GET',
    '/v1/datasets?segment=%00',
    400,
    'invalid_request',
    'segment',
    '`segment` must not contain the character NUL.',
  ],
  ['GET', '/v1/files?after=file-1', 404, 'not_found', 'after', 'No file has this id.'],
  ['GET', '/v1/files?purpose=%00', 400, 'invalid_request', 'purpose', '`purpose` must not contain the character NUL.'],
  ['GET', `/v1/files/${noFile}/content`, 404, 'not_found', 'id', 'No file has this id.'],
  ['DELETE', '/v1/files/file-1', 404, 'not_found', 'id', 'No file has this id.'],
])('answers %s %s with the cause of the refusal', async (method, path, status, code, param, message) => {
  expect(await refusalOf(service, { method, path })).toEqual({ status, code, param, message })
})

it.each([
  '/v1/logs?start=0001-01-01&end=9999-12-31',
  '/v1/logs?start=0000-01-01',
  '/v1/logs?start=2026-12-01&end=2026-11-01',
  '/v1/logs?q=%27%22%5C&tag=%F0%9F%98%80',
  '/v1/logs?min_cost_usd=1e-9',
  '/v1/logs?limit=200&offset=10000',
  '/v1/traces?start=0000-01-01',
])('accepts GET %s', async (path) => {
  expect(await service.send({ path })).toHaveProperty('status', 200)
})

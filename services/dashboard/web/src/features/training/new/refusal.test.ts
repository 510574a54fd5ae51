import { ApiError } from '../../../api/api-error.ts'
import { problemsOf, reportOf } from './refusal.ts'

const report = {
  examples: 4,
  used: 4,
  validation: 0,
  too_long: 0,
  empty: 0,
  invalid: 0,
  first_invalid: null,
  duplicates: 0,
  leaked_from_eval: 0,
  tokens: 100,
  p50_tokens: 20,
  p95_tokens: 30,
  stop_token_trained: null,
  template_sha256: null,
}

const refused = (fields: Partial<ApiError>) =>
  new ApiError('No.', {
    status: 400,
    code: 'invalid_request',
    param: null,
    details: {},
    requestId: null,
    retryAfter: null,
    ...fields,
  })

it('finds the field that an error names', () => {
  expect(problemsOf(refused({ param: 'method.supervised.hyperparameters.loraRank' }))).toEqual({ loraRank: 'No.' })
  expect(problemsOf(refused({ param: 'datasetId' }))).toEqual({ datasetId: 'No.' })
})

it('finds none in other errors', () => {
  expect([problemsOf(refused({})), problemsOf(refused({ param: 'x' })), problemsOf(null)]).toEqual([{}, {}, {}])
})

it('reads the report of refused data', () => {
  expect(reportOf(refused({ code: 'invalid_training_data', details: report }))).toEqual(report)
  expect(reportOf(refused({ code: 'invalid_training_data' }))).toBeNull()
  expect(reportOf(refused({ details: report }))).toBeNull()
})

import { readFileSync } from 'node:fs'
import path from 'node:path'
import { repositoryRoot } from '../fleet/data-paths.ts'
import type { OpenApi } from '../site/openapi.ts'
import { describeApi } from './describe-api.ts'

const document = JSON.parse(readFileSync(path.join(repositoryRoot, 'docs/openapi.json'), 'utf8')) as OpenApi

it('finds the codes of every response that lists some', () => {
  const { errorCodes } = describeApi(document)
  const listed = JSON.stringify(document).match(/"description":"Codes: /g) ?? []

  expect(errorCodes).toEqual(expect.arrayContaining(['invalid_request', 'insufficient_balance', 'version_conflict']))
  expect(errorCodes.filter((code) => !/^[a-z]+(_[a-z]+)*$/.test(code))).toEqual([])
  expect(listed.length).toBeGreaterThan(500)
})

it('finds the operations that take an Idempotency-Key, and no other', () => {
  const { idempotentOperations } = describeApi(document)

  expect(idempotentOperations).toEqual(expect.arrayContaining(['POST /v1/chat/completions', 'POST /v1/evals']))
  expect(idempotentOperations.filter((name) => !name.startsWith('POST '))).toEqual([])
})

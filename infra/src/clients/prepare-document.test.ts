import { readFileSync } from 'node:fs'
import path from 'node:path'
import { repositoryRoot } from '../fleet/data-paths.ts'
import { endpointsOf, type OpenApi } from '../site/openapi.ts'
import { prepareDocument } from './prepare-document.ts'

const document = JSON.parse(readFileSync(path.join(repositoryRoot, 'docs/openapi.json'), 'utf8')) as OpenApi
const endpoints = endpointsOf(prepareDocument(document))

const find = (operationId: string) => endpoints.find((each) => each.operationId === operationId)

it('keeps every endpoint, in a group, with its successes alone', () => {
  expect(endpoints).toHaveLength(endpointsOf(document).length)
  expect(find('getFineTuningJobsId')).toMatchObject({ tags: ['fine_tuning'] })
  expect(find('postV1betaModelsCall')).toMatchObject({ tags: ['models'] })
  const statuses = new Set(endpoints.flatMap(({ responses }) => Object.keys(responses)))
  expect([...statuses].sort()).toEqual(['200', '201', '202'])
})

it('takes JSON lines as a file, and returns them as a text', () => {
  const content = find('postLogsImport')?.requestBody?.content ?? {}
  expect(Object.keys(content)).toEqual(['application/json', 'application/jsonl', 'multipart/form-data'])
  expect(content['application/jsonl']).toEqual({ schema: { type: 'string', format: 'binary' } })
  expect(Object.keys(find('getLogsExport')?.responses['200']?.content ?? {})).toEqual(['text/plain'])
  expect(find('getFilesIdContent')?.responses['200']?.content).toMatchObject({
    'application/octet-stream': { schema: { format: 'binary' } },
  })
})

import { createHash } from 'node:crypto'
import { fleetIdentity } from '@ratchet/contracts/identity'
import { notFound, ServiceError } from '@ratchet/service-kit/http/service-error'
import { createSlicedWork } from '@ratchet/service-kit/timing/sliced-work'
import { newJob } from '../jobs/job.fixture.ts'
import { linesOf, manyExamples } from './examples.fixture.ts'
import { readJobData } from './read-job-data.ts'
import type { SourceReader } from './source-reader.ts'

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

function sourcesOf(contents: Readonly<Record<string, Buffer>>): SourceReader {
  return {
    facts: () => Promise.reject(new Error('only the content is read')),
    async content(_, { kind, param }) {
      const found = contents[param]
      if (found === undefined) throw notFound(kind, param)
      return found
    },
  }
}

const sliced = createSlicedWork()

describe('readJobData', () => {
  it('counts what is trained on, and plans with it', async () => {
    const data = linesOf(...manyExamples(24))
    const job = newJob()
    const found = await readJobData({ sliced, sources: sourcesOf({ datasetId: data }) }, job, fleetIdentity)
    if (found.kind === 'bad') throw new Error(found.message)
    expect(found).toMatchObject({
      validation: null,
      datasetSha256: sha256(data),
      training: { sha256: sha256(data), bytes: data },
    })
    expect(found.settings.plan).toMatchObject({ total_steps: 9, servable_steps: [3, 6, 9] })
    expect(found.totalTokens).toBe(BigInt(3 * found.report.tokens))
    expect(found.estimatedCostNano).toBe(found.totalTokens * 1_000n)
    expect(found.settings.hyperparameters).toMatchObject({ lora_rank: 32, max_sequence_length: 8_192 })
  })

  it('reads the data to validate with', async () => {
    const job = newJob({ evalDatasetId: '00000000-0000-7000-8000-000000000002' })
    const validation = linesOf(...manyExamples(3))
    const sources = sourcesOf({ datasetId: linesOf(...manyExamples(20)), evalDatasetId: validation })
    const found = await readJobData({ sources, sliced }, job, fleetIdentity)
    expect(found).toMatchObject({ kind: 'ready', report: { used: 17 }, validation: { sha256: sha256(validation) } })
  })

  it('says why nothing can be trained on it', async () => {
    const found = await readJobData(
      { sliced, sources: sourcesOf({ datasetId: linesOf('{}') }) },
      newJob(),
      fleetIdentity,
    )
    expect(found).toMatchObject({ kind: 'bad', param: 'datasetId', report: { invalid: 1 } })
    const gone = await readJobData({ sliced, sources: sourcesOf({}) }, newJob(), fleetIdentity)
    expect(gone).toMatchObject({ kind: 'bad', param: 'datasetId', report: null })
  })

  it('fails when the data cannot be read now', async () => {
    const unavailable = () => Promise.reject(new ServiceError('service_unavailable', 'no'))
    const sources = { facts: unavailable, content: unavailable }
    await expect(readJobData({ sources, sliced }, newJob(), fleetIdentity)).rejects.toMatchObject({
      code: 'service_unavailable',
    })
  })
})

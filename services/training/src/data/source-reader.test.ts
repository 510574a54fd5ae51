import { fleetIdentity } from '@ratchet/contracts/identity'
import { FleetCallError, type FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import { createSourceReader } from './source-reader.ts'

const uuid = '00000000-0000-7000-8000-000000000001'
const digits = uuid.replaceAll('-', '')
const dataset = { kind: 'dataset', id: `ds_${digits}`, param: 'datasetId' } as const
const file = { kind: 'file', id: `file-${digits}`, param: 'trainingFile' } as const

function readerOf(answer: (path: string) => unknown) {
  const paths: string[] = []
  const logging: Pick<FleetClient, 'call' | 'send'> = {
    call: async ({ path }) => answer(path) as never,
    async send({ path }) {
      paths.push(path)
      return answer(path) as never
    },
  }
  return { reader: createSourceReader(logging), paths }
}

const failing = (status: number) => () => {
  throw new FleetCallError('no', { status })
}

describe('createSourceReader', () => {
  it('knows the facts of datasets and files', async () => {
    const facts = { size_bytes: 5, sha256: 'ab', sibling_id: 'ds_2', bytes: 7, kind: 'train' }
    const { reader } = readerOf(() => facts)
    expect(await reader.facts(fleetIdentity, dataset)).toEqual({ uuid, bytes: 5, sha256: 'ab', siblingId: 'ds_2' })
    expect(await reader.facts(fleetIdentity, file)).toEqual({ uuid, bytes: 7, sha256: null, siblingId: null })
  })

  it('does not validate a held out dataset with the one that it was held out from', async () => {
    const { reader } = readerOf(() => ({ size_bytes: 5, sha256: 'ab', sibling_id: 'ds_2', kind: 'eval' }))
    expect((await reader.facts(fleetIdentity, dataset)).siblingId).toBeNull()
  })

  it('reads the export of a dataset and the content of a file', async () => {
    const { reader, paths } = readerOf(() => ({ status: 200, headers: {}, body: Buffer.from('{}') }))
    expect(String(await reader.content(fleetIdentity, dataset))).toBe('{}')
    await reader.content(fleetIdentity, file)
    expect(paths).toEqual([`/v1/datasets/${dataset.id}/export`, `/v1/files/${file.id}/content`])
  })

  it.each([dataset, file])('names the field of what does not exist: $param', async (source) => {
    const missing = { code: 'not_found', param: source.param }
    const { reader } = readerOf(failing(404))
    await expect(reader.facts(fleetIdentity, source)).rejects.toMatchObject(missing)
    await expect(reader.content(fleetIdentity, source)).rejects.toMatchObject(missing)
    const refusing = readerOf(() => ({ status: 404, headers: {}, body: Buffer.from('{}') })).reader
    await expect(refusing.content(fleetIdentity, source)).rejects.toMatchObject(missing)
    await expect(reader.facts(fleetIdentity, { ...source, id: 'other' })).rejects.toMatchObject(missing)
  })

  it('has a retry when logging is unavailable', async () => {
    const { reader } = readerOf(failing(503))
    await expect(reader.facts(fleetIdentity, file)).rejects.toMatchObject({ code: 'service_unavailable' })
    await expect(reader.content(fleetIdentity, file)).rejects.toMatchObject({ code: 'service_unavailable' })
  })
})

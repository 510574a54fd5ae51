import { workerIdentity } from '@ratchet/judge-kit/fleet/worker-identity'
import type { FleetClient } from '@ratchet/service-kit/fleet/fleet-client'
import type { EndedLine } from './batch.ts'
import { writeFile } from './write-file.ts'

const id = '00000000-0000-7000-8000-00000000000a'

function lineWith(changes: Partial<EndedLine>): EndedLine {
  return { id, line: 1, customId: 'a', statusCode: null, requestId: null, response: null, error: null, ...changes }
}

interface Piece {
  readonly position: number
  readonly text: string
  readonly total_bytes: number
  readonly is_last: boolean
}

async function written(lines: readonly EndedLine[]) {
  const pieces: Piece[] = []
  const call = async (_endpoint: unknown, { body }: { body: Piece }) => {
    pieces.push(body)
    return { bytes: 0 }
  }
  async function* of() {
    yield* lines
  }
  const file = { fileId: id, filename: 'f', identity: workerIdentity(id, id) }
  const hasFile = await writeFile({ call: call as unknown as FleetClient['call'] }, file, of())
  return { pieces, hasFile, text: pieces.map(({ text }) => text).join('') }
}

it('writes answers as they were, and why there is none', async () => {
  const response = '{"big":12345678901234567890}'
  const { text, pieces } = await written([
    lineWith({ statusCode: 200, requestId: 'r1', response }),
    lineWith({ customId: 'b', error: 'batch_expired' }),
  ])
  const [first = '', second = ''] = text.trimEnd().split('\n')
  expect(first).toContain(response)
  expect(JSON.parse(first)).toMatchObject({
    custom_id: 'a',
    response: { status_code: 200, request_id: 'r1' },
    error: null,
  })
  expect(JSON.parse(second)).toMatchObject({ custom_id: 'b', response: null, error: { code: 'batch_expired' } })
  expect(pieces).toMatchObject([{ position: 0, is_last: true, total_bytes: Buffer.byteLength(text) }])
})

it('divides a large file between characters, and makes none without lines', async () => {
  const response = JSON.stringify('🙂'.repeat(400_000))
  const lines = Array.from({ length: 5 }, () => lineWith({ statusCode: 200, requestId: 'r', response }))
  const { pieces, text } = await written(lines)
  expect(pieces.map(({ position }) => position)).toEqual(pieces.map((_, place) => place))
  expect(pieces.map((piece) => piece.is_last)).toEqual(pieces.map((_, place) => place === pieces.length - 1))
  expect(pieces.every((piece) => piece.text.isWellFormed())).toBe(true)
  expect(
    text
      .trimEnd()
      .split('\n')
      .map((each) => JSON.parse(each).response.body),
  ).toEqual(lines.map(() => '🙂'.repeat(400_000)))
  expect(await written([])).toMatchObject({ hasFile: false, pieces: [] })
})

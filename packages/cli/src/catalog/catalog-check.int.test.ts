import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { recordingIo } from '../recording-io.fixture.ts'
import { runCli } from '../run-cli.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'ratchet-catalog-'))
})
afterEach(() => rm(folder, { recursive: true }))

async function check(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  const io = recordingIo()
  const code = await runCli(['catalog', 'check', ...argv], io)
  return { code, out: io.out(), err: io.err() }
}

const house = {
  as_of: '2026-11-01',
  source: 'our own price list',
  providers: [
    {
      id: 'house',
      name: 'House',
      adapter: 'openai',
      base_url: 'https://llm.example.com/v1',
      api_key_env: 'HOUSE_API_KEY',
    },
  ],
}

it('finds no problem in the shipped catalog', async () => {
  const { code, out } = await check()

  expect(code).toBe(0)
  expect(out).toMatch(/^\d{2,} models of \d+ providers, no problems\n$/)
})

it('includes what a deployment mounts over it, from a folder or a file', async () => {
  const shipped = JSON.parse((await check('--json')).out)
  await writeFile(path.join(folder, 'house.json'), JSON.stringify(house))
  await writeFile(path.join(folder, '.hidden.json'), 'not read')

  for (const place of [folder, path.join(folder, 'house.json')]) {
    const { code, out } = await check(place, '--json')
    expect([code, JSON.parse(out)]).toEqual([0, { ...shipped, providers: shipped.providers + 1 }])
  }
})

it('prints file and field of every problem, and fails', async () => {
  await writeFile(path.join(folder, 'a.json'), 'not json')
  await writeFile(
    path.join(folder, 'b.json'),
    JSON.stringify({ ...house, providers: [{ ...house.providers[0], name: '' }] }),
  )

  const { code, out } = await check(folder)

  expect(code).toBe(1)
  expect(out).toContain('a.json: is not JSON\n')
  expect(out).toMatch(/b\.json: house: name: /)
})

it.each(['missing', '.'])('fails for %s, which has no catalog file', async (place) => {
  const { code, out, err } = await check(path.join(folder, place))

  expect([code, out]).toEqual([2, ''])
  expect(err).toMatch(/^error: \[folder\]: \S+ cannot be read: [^\n]+\n$/)
})

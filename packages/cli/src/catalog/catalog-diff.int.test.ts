import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { CatalogFile } from '@ratchet/contracts/catalog-file'
import { recordingIo } from '../recording-io.fixture.ts'
import { runCli } from '../run-cli.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'ratchet-prices-'))
})
afterEach(() => rm(folder, { recursive: true }))

async function run(...argv: string[]) {
  const io = recordingIo()
  const code = await runCli(['catalog', ...argv], io)
  return { code, out: io.out(), err: io.err() }
}

async function write(name: string, value: unknown): Promise<string> {
  const file = path.join(folder, name)
  await writeFile(file, JSON.stringify(value))
  return file
}

/** A model of the shipped catalog, as a list names it. */
async function shipped(provider: string) {
  const text = await readFile(
    new URL(`../../../../services/inference/catalog/${provider}.json`, import.meta.url),
    'utf8',
  )
  const entry = CatalogFile.parse(JSON.parse(text)).models?.[0]
  if (entry === undefined) throw new Error('no model')
  return entry
}
const perToken = (price: string | null | undefined) => (price == null ? null : Number(price) / 1_000_000)

async function listOf(changes: object = {}, others: object = {}) {
  const entry = await shipped('anthropic')
  const listed = {
    litellm_provider: 'anthropic',
    mode: 'chat',
    max_input_tokens: entry.context_window,
    max_output_tokens: entry.max_output_tokens,
    input_cost_per_token: perToken(entry.input_per_mtok),
    output_cost_per_token: perToken(entry.output_per_mtok),
    cache_read_input_token_cost: perToken(entry.cached_input_per_mtok),
    cache_creation_input_token_cost: perToken(entry.cache_write_per_mtok),
    ...changes,
  }
  const list = await write('list.json', {
    sample_spec: { mode: 'one of chat, embedding' },
    [entry.upstream_model]: listed,
    ...others,
  })
  return { entry, list }
}

it('finds no difference where the prices are the same, whatever the digits of a double', async () => {
  const { list } = await listOf()
  const { code, out } = await run('diff', list, '--json')
  expect([code, JSON.parse(out)]).toMatchObject([0, { compared: 1, changed: [] }])
})

it('shows each price that differs, and ends with 1', async () => {
  const { entry, list } = await listOf({ output_cost_per_token: 0.000123 })
  const { code, out } = await run('diff', list)
  expect(code).toBe(1)
  expect(out).toMatch(new RegExp(`${entry.id} +output_per_mtok +[0-9.]+ +123 `))
})

it('names models of the list that the catalog does not have, only of its providers', async () => {
  const other = { litellm_provider: 'gemini', mode: 'chat', input_cost_per_token: 1e-6, output_cost_per_token: 2e-6 }
  const { list } = await listOf({}, { 'gemini/gemini-x': other, 'nobody/x': { ...other, litellm_provider: 'nobody' } })
  expect(JSON.parse((await run('diff', list, '--json')).out).not_in_catalog).toEqual(['google/gemini-x'])
})

it('proposes a file that can be mounted, and then differs no more', async () => {
  const added = {
    litellm_provider: 'anthropic',
    mode: 'chat',
    max_input_tokens: 200_000,
    max_output_tokens: 32_000,
    input_cost_per_token: 0.0000003,
    output_cost_per_token: 0.0000012,
    supports_function_calling: true,
  }
  const { entry, list } = await listOf({ output_cost_per_token: 0.000123 }, { 'claude-small-x': added })
  const { code, out } = await run('propose', list, '--add', 'anthropic/claude-small-x')
  expect(code).toBe(0)
  const file = CatalogFile.parse(JSON.parse(out))
  expect(file.models?.map(({ id, input_per_mtok: input, output_per_mtok: output }) => [id, input, output])).toEqual([
    [entry.id, entry.input_per_mtok, '123'],
    ['anthropic/claude-small-x', '0.3', '1.2'],
  ])
  expect(file.models?.[1]).toMatchObject({ capabilities: ['chat', 'streaming', 'tools'], cached_input_per_mtok: null })
  const mounted = await write('mounted.json', file)
  expect((await run('check', mounted)).code).toBe(0)
  expect((await run('diff', list, mounted)).code).toBe(0)
})

it.each([
  [['diff', 'missing.json'], 2, 'cannot be read'],
  [['propose', 'LIST', '--add', 'anthropic/none'], 1, 'no other model anthropic/none'],
])('fails for %j', async (argv, code, text) => {
  const { list } = await listOf()
  expect(await run(...argv.map((word) => (word === 'LIST' ? list : word)))).toMatchObject({
    code,
    err: expect.stringContaining(text),
  })
})

it('fails for a file that is no price list', async () => {
  const { code, err } = await run('diff', await write('other.json', { models: [] }))
  expect([code, err]).toEqual([1, expect.stringContaining('no chat model')])
})

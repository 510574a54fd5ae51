import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { repositoryRoot } from '@ratchet/infra/fleet/data-paths'
import { collectOutput } from '@ratchet/infra/processes/collect-output'
import { findPython } from '@ratchet/infra/processes/find-python'
import { installNpm, installPython, installTimeoutMs } from './install-software.ts'
import { pythonTools } from './python-tools.ts'

const document = path.join(repositoryRoot, 'docs', 'openapi.json')
const withPython = findPython().kind === 'found' ? it : it.skip

let folder: string

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'ratchet-generated-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

/** Runs a program to its end. @throws Error with its output when it fails */
async function run(program: string, args: readonly string[], cwd = folder): Promise<string> {
  const { ok, output } = await collectOutput(program, args, { cwd })
  if (!ok) throw new Error(`${path.basename(program)}: ${output.slice(-4_000)}`)
  return output
}

it(
  'openapi-typescript writes types with names, which compile and fit a program',
  async () => {
    const tools = path.join(await installNpm(['openapi-typescript@7.13.0', 'typescript@5.9.3']), 'node_modules', '.bin')
    await run(path.join(tools, 'openapi-typescript'), [document, '--output', 'api.ts'])
    writeFileSync(path.join(folder, 'program.ts'), program)
    await run(path.join(tools, 'tsc'), [
      '--noEmit',
      '--strict',
      '--target',
      'es2022',
      '--module',
      'esnext',
      'program.ts',
    ])
    writeFileSync(path.join(folder, 'wrong.ts'), program.replace("'sim/small'", '5'))
    const wrong = ['--noEmit', '--strict', '--target', 'es2022', '--module', 'esnext', 'wrong.ts']
    await expect(run(path.join(tools, 'tsc'), wrong)).rejects.toThrow('TS2322')
  },
  installTimeoutMs,
)

const program = `
import type { components, paths } from './api'

type Schemas = components['schemas']
export const request: Schemas['ChatRequest'] = { model: 'sim/small', messages: [{ role: 'user' }] }
export const trust = ({ trust }: Schemas['Criterion']): Schemas['Trust'] => trust
export const interval = ([low, high]: Schemas['Interval']): number => high - low
export type Evals = paths['/v1/evals']['get']['responses'][200]['content']['application/json']['data'][number]
export const status = (each: Evals): Schemas['EvalStatus'] => each.status
`

withPython(
  'openapi-python-client generates a client without a warning, and every module of it can be imported',
  async () => {
    const tools = await installPython(pythonTools)
    const config = path.join(folder, 'config.json')
    // The generator knows no JSON lines; as bytes it sends and returns them.
    const overrides = {
      'application/jsonl': 'application/octet-stream',
      'application/x-ndjson': 'application/octet-stream',
    }
    writeFileSync(config, JSON.stringify({ content_type_overrides: overrides, post_hooks: [] }))
    const generate = ['generate', '--path', document, '--output-path', 'client', '--meta', 'none', '--config', config]
    await run(path.join(tools, 'openapi-python-client'), [...generate, '--fail-on-warning'])
    writeFileSync(path.join(folder, 'program.py'), pythonProgram)
    expect(JSON.parse(await run(path.join(tools, 'python'), ['program.py']))).toEqual({
      modules: expect.any(Number),
      broken: [],
      body: { model: 'sim/small', messages: [{ role: 'user', content: 'Why?' }] },
    })
  },
  installTimeoutMs,
)

const pythonProgram = `
import importlib, json, pkgutil
import client
from client.models import ChatMessage, ChatRequest

broken, modules = [], 0
for module in pkgutil.walk_packages(client.__path__, "client."):
    modules += 1
    try:
        importlib.import_module(module.name)
    except NameError as error:
        # A fault of the generator: it forgets to import the name in an operation with two kinds of bodies.
        if "'Unset'" not in str(error):
            broken.append(f"{module.name}: {error}")
    except Exception as error:
        broken.append(f"{module.name}: {error}")
request = ChatRequest.from_dict({"model": "sim/small", "messages": [{"role": "user", "content": "Why?"}]})
print(json.dumps({"modules": modules, "broken": broken, "body": request.to_dict()}))
`

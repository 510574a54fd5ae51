import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { repositoryRoot } from '@ratchet/infra/fleet/data-paths'
import { collectOutput } from '@ratchet/infra/processes/collect-output'
import { findPython } from '@ratchet/infra/processes/find-python'
import { ledgerOf } from '../charge.ts'
import { type SharedFleet, shareFleet } from '../shared-fleet/shared-fleet.ts'
import { installPython, installTimeoutMs } from './install-software.ts'
import { pythonTools } from './python-tools.ts'

const withPython = findPython().kind === 'found' ? it : it.skip

/** All but those that guess from the description alone which bodies are accepted: most rules of bodies are no schema. */
const checks = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
  'unsupported_method',
  'use_after_free',
  'ensure_resource_availability',
  'ignored_auth',
]

let fleet: SharedFleet
let folder: string

beforeAll(async () => {
  fleet = await shareFleet()
  folder = mkdtempSync(path.join(tmpdir(), 'ratchet-schemathesis-'))
}, 300_000)
afterAll(() => rmSync(folder, { recursive: true }))

withPython(
  'schemathesis finds no answer that the description does not have, and no failure of a server',
  async () => {
    const tools = await installPython(pythonTools)
    const config = path.join(folder, 'schemathesis.toml')
    writeFileSync(config, `[auth.openapi.apiKey]\nbearer = "${fleet.workspace.apiKey}"\n`)
    const args = [
      ...['--config-file', config, 'run', path.join(repositoryRoot, 'docs', 'openapi.json'), '--url', fleet.url],
      ...['--phases', 'coverage,fuzzing', '--max-examples', '5', '--generation-deterministic'],
      ...['--checks', checks.join(), '--request-timeout', '60', '--no-color'],
    ]
    // It writes a cache into the folder.
    const { ok, output } = await collectOutput(path.join(tools, 'schemathesis'), args, { cwd: folder })
    const start = output.indexOf('= FAILURES =')
    if (!ok) throw new Error(output.slice(Math.max(0, start)).slice(0, 20_000))
  },
  installTimeoutMs,
)

it('leaves no hold', async () => {
  expect(await ledgerOf(fleet)).toMatchObject({ held: 0n, open: 0, violations: [] })
})

import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { repositoryRoot } from '../fleet/data-paths.ts'

/** Files that break no rule. */
const allowed: Readonly<Record<string, string>> = {
  'packages/contracts/src/models.ts': 'export const models = 1\n',
  'packages/db/src/connect-pool.ts': 'export const connectPool = 1\n',
  'packages/db/src/connect.ts': 'export const connectPrisma = 1\n',
  'packages/db/src/connect-pool.int.test.ts': "import { fresh } from '@ratchet/testing/fresh'\nfresh()\n",
  'packages/service-kit/src/http/mount.ts':
    "import type { Router } from 'express'\nexport const mount = (_r: Router) => 1\n",
  'packages/work-kit/src/queue/queue.ts': 'export const startQueueWorker = 1\n',
  'packages/testing/src/fresh.ts': 'export const fresh = () => 1\n',
  'services/alias/src/main.ts': "import { startAlias } from './start.ts'\nstartAlias()\n",
  'services/alias/src/start.ts':
    "import { createPgAliases } from './aliases/pg-aliases.ts'\nexport const startAlias = () => createPgAliases\n",
  'services/alias/src/aliases/pg-aliases.ts':
    "import { connectPool } from '@ratchet/db/connect-pool'\nexport const createPgAliases = connectPool\n",
  'services/alias/src/aliases/routes.ts':
    "import { mount } from '@ratchet/service-kit/http/mount'\nimport type { Router } from 'express'\nexport const routes = (r: Router) => mount(r)\n",
  'services/alias/src/aliases/alias.ts':
    "import type { createPgAliases } from './pg-aliases.ts'\nexport type Store = typeof createPgAliases\n",
  'services/alias/src/gate/gate-worker.ts':
    "import { startQueueWorker } from '@ratchet/work-kit/queue/queue'\nexport const start = startQueueWorker\n",
  'services/alias/src/aliases/alias.test.ts': "import { fresh } from '@ratchet/testing/fresh'\nfresh()\n",
  'services/eval/src/start.ts': 'export const startEval = 1\n',
  'services/dashboard/src/start.ts': 'export const startDashboard = 1\n',
  'services/dashboard/web/src/page.tsx':
    "import { models } from '@ratchet/contracts/models'\nexport const page = models\n",
  'test-e2e/chat.e2e.test.ts': "import { startAlias } from '@ratchet/alias/start'\nstartAlias()\n",
}

/** One file for each way to break a rule: path, text, and the rule that it breaks. */
const forbidden: readonly (readonly [file: string, text: string, rule: string])[] = [
  ['services/alias/src/a/other-service.ts', "export { startEval } from '@ratchet/eval/start'", 'service-to-service'],
  ['services/alias/src/a/by-path.ts', "export { startEval } from '../../../eval/src/start.ts'", 'service-to-service'],
  ['test-e2e/inner.e2e.test.ts', "import '@ratchet/alias/aliases/alias'", 'services-through-start'],
  ['services/alias/src/a/pg-all.ts', "export { connectPrisma } from '@ratchet/db/connect'", 'prisma-by-workspace'],
  ['services/alias/src/a/uses-db.ts', "export { connectPool } from '@ratchet/db/connect-pool'", 'role-store'],
  ['services/alias/src/a/uses-db-late.ts', "export const db = await import('@ratchet/db/connect-pool')", 'role-store'],
  [
    'services/alias/src/a/uses-store.ts',
    "import {\n createPgAliases,\n} from '../aliases/pg-aliases.ts'\nexport const a = createPgAliases",
    'role-adapters',
  ],
  [
    'services/alias/src/a/uses-express.ts',
    "import type { Router } from 'express'\nexport type A = Router",
    'role-routes',
  ],
  ['services/alias/src/a/uses-mount.ts', "export { mount } from '@ratchet/service-kit/http/mount'", 'role-routes'],
  [
    'services/alias/src/a/uses-queue.ts',
    "export { startQueueWorker } from '@ratchet/work-kit/queue/queue'",
    'role-queue',
  ],
  ['services/alias/src/a/uses-redis.ts', "import { Redis } from 'ioredis'\nexport const a = new Redis()", 'role-redis'],
  ['services/alias/src/a/uses-undici.ts', "import { request } from 'undici'\nexport const a = request", 'outbound'],
  [
    'services/dashboard/web/src/uses-kit.tsx',
    "export { mount } from '@ratchet/service-kit/http/mount'",
    'packages-of-services-dashboard-web',
  ],
  [
    'services/dashboard/web/src/uses-server.tsx',
    "export { startDashboard } from '../../src/start.ts'",
    'pages-to-server',
  ],
  ['services/dashboard/src/uses-page.ts', "export { page } from '../web/src/page.tsx'", 'server-to-pages'],
  ['services/alias/src/a/uses-test.ts', "import '../aliases/alias.test.ts'", 'not-to-tests'],
  ['services/alias/src/a/uses-testing.ts', "export { fresh } from '@ratchet/testing/fresh'", 'packages-of-services'],
  ['services/alias/src/a/uses-start.ts', "export { startAlias } from '../start.ts'", 'not-to-composition-root'],
  [
    'packages/contracts/src/uses-kit.ts',
    "export { mount } from '@ratchet/service-kit/http/mount'",
    'packages-of-packages-contracts',
  ],
  [
    'packages/service-kit/src/uses-db.ts',
    "export { connectPool } from '@ratchet/db/connect-pool'",
    'packages-of-packages-service-kit',
  ],
  [
    'packages/db/src/leaves.ts',
    "export { models } from '../../contracts/src/models.ts'",
    'relative-imports-stay-inside',
  ],
  ['packages/contracts/src/missing.ts', "export { x } from './nothing-here.ts'", 'unresolved'],
  ['packages/contracts/src/circle-a.ts', "import type { B } from './circle-b.ts'\nexport type A = B", 'no-cycles'],
  ['packages/contracts/src/uses-old-name.ts', "export { x } from './tell-webhooks.ts'", 'file-names'],
  ['packages/contracts/src/uses-older-name.ts', "export { x } from './poisoned-rows.ts'", 'file-names'],
]

const helpers = {
  'packages/contracts/src/circle-b.ts': "import type { A } from './circle-a.ts'\nexport type B = A",
  'packages/contracts/src/tell-webhooks.ts': 'export const x = 1',
  'packages/contracts/src/poisoned-rows.ts': 'export const x = 1',
}

interface Violation {
  readonly from: string
  readonly rule: { readonly name: string }
}

/** Writes a small repository, runs the rules on it, and returns what they find as `file: rule`. */
function violationsIn(files: Readonly<Record<string, string>>): readonly string[] {
  const root = mkdtempSync(path.join(tmpdir(), 'import-rules-'))
  try {
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(path.join(root, path.dirname(file)), { recursive: true })
      writeFileSync(path.join(root, file), text)
    }
    linkPackages(root)
    return cruise(root).map(({ from, rule }) => `${from}: ${rule.name}`)
  } finally {
    rmSync(root, { recursive: true })
  }
}

function linkPackages(root: string): void {
  mkdirSync(path.join(root, 'node_modules/@ratchet'), { recursive: true })
  const own = [
    'packages/contracts',
    'packages/db',
    'packages/service-kit',
    'packages/testing',
    'packages/work-kit',
    'services/alias',
    'services/eval',
  ]
  for (const folder of own) {
    const name = path.basename(folder)
    writeFileSync(
      path.join(root, folder, 'package.json'),
      JSON.stringify({ name: `@ratchet/${name}`, exports: { './*': './src/*.ts' } }),
    )
    symlinkSync(path.join(root, folder), path.join(root, 'node_modules/@ratchet', name))
  }
  for (const name of ['express', 'ioredis', 'undici']) {
    mkdirSync(path.join(root, 'node_modules', name))
    writeFileSync(path.join(root, 'node_modules', name, 'package.json'), JSON.stringify({ name, main: 'index.js' }))
    writeFileSync(path.join(root, 'node_modules', name, 'index.js'), '')
  }
}

function cruise(root: string): readonly Violation[] {
  const program = path.join(repositoryRoot, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs')
  const config = path.join(repositoryRoot, '.dependency-cruiser.js')
  const args = [program, '--config', config, '--output-type', 'json', 'packages', 'services', 'test-e2e']
  // A run with violations is no failure here: the exit code is their number.
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 })
  if (stdout === '') throw new Error(stderr)
  const { summary } = JSON.parse(stdout) as {
    readonly summary: { readonly violations: readonly Violation[] }
  }
  return summary.violations
}

it('accepts a repository that follows every rule', () => {
  expect(violationsIn(allowed)).toEqual([])
})

describe('a repository that breaks every rule', () => {
  const found = violationsIn({ ...allowed, ...helpers, ...Object.fromEntries(forbidden) })

  it.each(forbidden)('reports %s', (file, _text, rule) => {
    expect(found.filter((line) => line.startsWith(`${file}: `)).join('\n')).toContain(`${file}: ${rule}`)
  })
})

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { checkBoundaries } from './check-boundaries.ts'

/** A tree with one file of each kind that keeps every rule. */
const sound: Readonly<Record<string, string>> = {
  'packages/contracts/src/models.ts': "import { z } from 'zod'\n",
  'packages/db/package.json': '{"devDependencies":{"@ratchet/testing":"workspace:*"}}',
  'packages/db/src/a.int.test.ts': "import { freshDatabase } from '@ratchet/testing/fresh-database'\n",
  'services/alias/package.json': '{"dependencies":{"@ratchet/db":"workspace:*","@ratchet/contracts":"workspace:*"}}',
  'services/alias/src/main.ts': "import { startAlias } from './start.ts'\n",
  'services/alias/src/start.ts': "import { createStore } from './store/pg-store.ts'\nconst at = Date.now()\n",
  'services/alias/src/store/pg-store.ts': "import { connectPool } from '@ratchet/db/connect-pool'\n",
  'services/alias/src/routes/aliases.test.ts': "import { memory } from '../store/memory-store.ts'\n",
  'services/alias/src/domain/pick.ts': "import type { Role } from '@ratchet/contracts/identity'\n// not Date.now()\n",
  'services/alias/src/test-app.ts': "import { silent } from '@ratchet/testing/silent-logger'\nconst at = new Date()\n",
  'services/edge/src/app.ts': "import express from 'express'\n",
  'test-e2e/chat.e2e.test.ts': "import { startAlias } from '@ratchet/alias/start'\n",
}

const broken: readonly [name: string, file: string, text: string, says: string][] = [
  [
    'a service importing another service',
    'services/edge/src/x.ts',
    "import { a } from '@ratchet/alias/start'",
    'must not import the service alias',
  ],
  [
    'a service reaching into another by path',
    'services/edge/src/x.ts',
    "import { a } from '../../alias/src/app.ts'",
    'must not leave its package',
  ],
  [
    'a service depending on another in package.json',
    'services/edge/package.json',
    '{"dependencies":{"@ratchet/alias":"workspace:*"}}',
    'must not hold @ratchet/alias',
  ],
  [
    'a test reaching past a service’s start',
    'test-e2e/a.e2e.test.ts',
    "import { a } from '@ratchet/alias/app'",
    'only @ratchet/alias/start',
  ],
  [
    'a route using the database',
    'services/alias/src/routes/a.ts',
    "import { connectPool } from '@ratchet/db/connect-pool'",
    'only store/ and start.ts',
  ],
  [
    'a route using a store',
    'services/alias/src/routes/a.ts',
    "import { createStore } from '../store/pg-store.ts'",
    'only start.ts may import store/',
  ],
  [
    'a multi-line import',
    'services/alias/src/routes/a.ts',
    "import {\n  createStore,\n} from '../store/pg-store.ts'",
    'only start.ts may import store/',
  ],
  [
    'an import at run time',
    'services/alias/src/app.ts',
    "await import('@ratchet/db/connect')",
    'only store/ and start.ts',
  ],
  [
    'a re-export',
    'services/alias/src/app.ts',
    "export { createStore } from './store/pg-store.ts'",
    'only start.ts may import store/',
  ],
  [
    'something importing the composition root',
    'services/alias/src/app.ts',
    "import { startAlias } from './start.ts'",
    'nothing may import start.ts',
  ],
  [
    'domain code doing I/O',
    'services/alias/src/domain/a.ts',
    "import { readFile } from 'node:fs/promises'",
    'domain/ does no I/O',
  ],
  [
    'domain code using a framework',
    'services/alias/src/domain/a.ts',
    "import express from 'express'",
    'domain/ does no I/O',
  ],
  [
    'domain code using the kit',
    'services/alias/src/domain/a.ts',
    "import { mount } from '@ratchet/service-kit/mount'",
    'contracts, stats, prompts and ServiceError',
  ],
  [
    'contracts importing anything of ours',
    'packages/contracts/src/a.ts',
    "import { mount } from '@ratchet/service-kit/mount'",
    'contracts must not import',
  ],
  [
    'the kit importing the database',
    'packages/service-kit/src/a.ts',
    "import { connectPool } from '@ratchet/db/connect-pool'",
    'service-kit must not import @ratchet/db',
  ],
  [
    'a forbidden dependency in package.json',
    'packages/stats/package.json',
    '{"dependencies":{"@ratchet/contracts":"workspace:*"}}',
    'must not hold @ratchet/contracts',
  ],
  [
    'test helpers in shipped code',
    'services/alias/src/app.ts',
    "import { eventually } from '@ratchet/testing/eventually'",
    'only tests may import',
  ],
  [
    'test helpers as a real dependency',
    'services/alias/package.json',
    '{"dependencies":{"@ratchet/testing":"workspace:*"}}',
    'must not hold @ratchet/testing',
  ],
  [
    'shipped code using what is made for tests',
    'services/alias/src/app.ts',
    "import { testApp } from './test-app.ts'",
    'only tests may import what is made for tests',
  ],
  ['a clock of one’s own', 'services/alias/src/app.ts', 'const at = Date.now()', 'must come in through deps'],
  ['chance of one’s own', 'packages/db/src/a.ts', 'const unit = Math.random()', 'must come in through deps'],
  [
    'a mocked module',
    'services/alias/src/app.test.ts',
    `${'jest'}.unstable_mockModule('./x.ts', () => ({}))`,
    'no module mocks',
  ],
  [
    'a way out of one’s own',
    'services/alias/src/app.ts',
    "import { request } from 'undici'",
    'request of undici opens connections',
  ],
  ['SQL made of text', 'services/alias/src/app.ts', 'await db.$queryRawUnsafe(text)', 'values go in as parameters'],
  ['SQL let through', 'packages/db/src/a.ts', 'const order = Prisma.raw(name)', 'values go in as parameters'],
  [
    'a certificate unread',
    'packages/http/src/a.ts',
    'const tls = { rejectUnauthorized: false }',
    'certificates are checked',
  ],
  ['text made code', 'services/alias/src/app.ts', 'const run = new Function(text)', 'no text becomes code'],
  ['text evaluated', 'packages/stats/src/a.ts', 'const value = eval(text)', 'no text becomes code'],
  ['a program', 'services/alias/src/app.ts', "import { exec } from 'node:child_process'", 'starts no program'],
  ['a file of 401 lines', 'packages/db/src/a.ts', 'const a = 1\n'.repeat(401), '401 lines'],
]

let root = ''

beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'boundaries-'))
  for (const [file, text] of Object.entries(sound)) write(file, text)
})

afterEach(() => rmSync(root, { recursive: true, force: true }))

function write(file: string, text: string): void {
  const target = path.join(root, file)
  mkdirSync(path.dirname(target), { recursive: true })
  writeFileSync(target, text)
}

it('says nothing about a tree that keeps the rules', () => {
  expect(checkBoundaries(root)).toEqual([])
})

it.each(broken)('catches %s', (_name, file, text, says) => {
  write(file, text)
  const problems = checkBoundaries(root)
  expect(problems).toHaveLength(1)
  expect(problems[0]).toContain(`${file}: `)
  expect(problems[0]).toContain(says)
})

it('accepts a file of exactly 400 lines', () => {
  write('packages/db/src/a.ts', 'const a = 1\n'.repeat(400))
  expect(checkBoundaries(root)).toEqual([])
})

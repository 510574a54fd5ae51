import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { repositoryRoot } from '../fleet/data-paths.ts'
import { smallMemory } from '../fleet/memory-settings.ts'

const read = (file: string) => readFileSync(path.join(repositoryRoot, file), 'utf8')

it('runs the command that each script of package.json names', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: Readonly<Record<string, string>> }
  const named = Object.values(scripts).map((script) => /infra\/bootstrap\/run\.mjs (\S+)/.exec(script)?.[1])
  const list = /const commands = \[([^\]]+)\]/.exec(read('infra/bootstrap/bootstrap.mjs'))?.[1] ?? ''
  const known = [...list.matchAll(/'([\w-]+)'/g)].map(([, name]) => name)
  expect(known.toSorted()).toEqual([...new Set(named)].toSorted())
  const files = readdirSync(path.join(repositoryRoot, 'infra/src/commands'))
  expect(known.filter((name) => !files.includes(`${name}.ts`))).toEqual([])
})

it('gives the process of `npm start` the flags of a small one', () => {
  expect(read('infra/bootstrap/bootstrap.mjs')).toContain(`start: ['${smallMemory.join("', '")}']`)
})

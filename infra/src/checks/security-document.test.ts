import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { repositoryRoot } from '../fleet/data-paths.ts'

const text = readFileSync(path.join(repositoryRoot, 'SECURITY.md'), 'utf8')
const filesOf = (part: string) =>
  [...part.matchAll(/`([\w./-]+\.(?:test|contract)\.ts)`/g)].map(([, file = '']) => file)
const missing = (files: readonly string[]) => files.filter((file) => !existsSync(path.join(repositoryRoot, file)))

it('has a row for each risk of the list, with tests that prove its control', () => {
  const rows = [...text.matchAll(/^\| (API\d+) .*$/gm)]
  expect(rows.map(([, risk]) => risk)).toEqual(Array.from({ length: 10 }, (_, index) => `API${index + 1}`))
  for (const [row] of rows) expect(filesOf(row).length).toBeGreaterThan(0)
})

it('names no test that does not exist', () => {
  expect(filesOf(text).length).toBeGreaterThan(40)
  expect(missing(filesOf(text))).toEqual([])
  expect(missing(['infra/src/no-such.test.ts'])).toHaveLength(1)
})

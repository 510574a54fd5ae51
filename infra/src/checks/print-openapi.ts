import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { openApiDocument } from '@ratchet/contracts/openapi'
import { repositoryRoot } from '../fleet/data-paths.ts'

const file = path.join(repositoryRoot, 'docs', 'openapi.json')

/** Writes `docs/openapi.json` from the endpoint values. */
export function writeOpenApiFile(): void {
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, print())
}

/** @returns the problem of `docs/openapi.json`, or null when it is up to date */
export function checkOpenApiFile(): string | null {
  const current = existsSync(file) ? readFileSync(file, 'utf8') : ''
  return current === print() ? null : 'docs/openapi.json is stale: run `npm run codegen` and commit it'
}

function print(): string {
  return `${JSON.stringify(openApiDocument(), null, 2)}\n`
}

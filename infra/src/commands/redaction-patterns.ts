import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { parse } from 'smol-toml'
import { z } from 'zod'
import { repositoryRoot } from '../fleet/data-paths.ts'
import { translateRules } from '../redaction-patterns/translate-rules.ts'
import { ReadableError, runCommand } from '../terminal/readable-error.ts'

const usage =
  'Name the folder of a release of gitleaks and its version: npm run redaction-patterns -- <folder> v8.30.1. ' +
  '`go mod download -json github.com/zricethezav/gitleaks/v8@latest` prints both.'
const folderOfPatterns = path.join(repositoryRoot, 'packages/redaction/src/patterns')

const Config = z.object({
  rules: z.array(
    z.object({
      id: z.string(),
      regex: z.string().optional(),
      entropy: z.number().optional(),
      keywords: z.array(z.string()).optional(),
    }),
  ),
})

/* Writes the patterns of redaction anew from a release of gitleaks. */
await runCommand(async () => {
  const [folder, version, ...more] = parseArgs({ allowPositionals: true }).positionals
  if (folder === undefined || version === undefined || more.length > 0) throw new ReadableError(usage)
  const { rules } = Config.parse(parse(readFileSync(path.join(folder, 'config/gitleaks.toml'), 'utf8')))
  const source = `https://github.com/gitleaks/gitleaks/blob/${version}/config/gitleaks.toml`
  const patterns = { source, version, licence: 'MIT, see gitleaks.LICENSE', ...translateRules(rules) }
  writeFileSync(path.join(folderOfPatterns, 'gitleaks.json'), print(patterns))
  writeFileSync(path.join(folderOfPatterns, 'gitleaks.LICENSE'), readFileSync(path.join(folder, 'LICENSE')))
  console.log(
    `▸ ${path.relative(repositoryRoot, folderOfPatterns)} written from ${rules.length} rules of gitleaks ${version}`,
  )
})

/** Prints each entry of a list in one line, so that a difference shows which rules changed. */
function print(value: object): string {
  const fields = Object.entries(value).map(([name, field]) => {
    if (!Array.isArray(field)) return `  ${JSON.stringify(name)}: ${JSON.stringify(field)}`
    return `  ${JSON.stringify(name)}: [\n${field.map((entry) => `    ${JSON.stringify(entry)}`).join(',\n')}\n  ]`
  })
  return `{\n${fields.join(',\n')}\n}\n`
}

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DCLinter } from 'dclint'

/** The part of the linter's output that is read here. */
interface LintedFile {
  readonly messages: readonly { readonly rule: string; readonly type: string; readonly message: string }[]
}

/** What the schema of compose files and the linter find wrong. */
export function lintCompose(content: string): readonly string[] {
  const folder = mkdtempSync(path.join(tmpdir(), 'compose-'))
  try {
    const target = path.join(folder, 'docker-compose.yml')
    writeFileSync(target, content)
    const linter = new DCLinter({ quiet: true, debug: false, exclude: [], rules: {} })
    const files: readonly LintedFile[] = linter.lintFiles([target], false)
    const messages = files.flatMap((linted) => linted.messages)
    return messages.flatMap(({ rule, type, message }) => (type === 'error' ? [`${rule}: ${message}`] : []))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

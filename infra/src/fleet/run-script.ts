import { pathToFileURL } from 'node:url'
import { runCommand } from '../terminal/readable-error.ts'

/** Runs a script of the repository in this process, as if Node had been started on it with these arguments. */
export async function runScript(file: string, args: readonly string[]): Promise<void> {
  process.argv = [process.execPath, file, ...args]
  await runCommand(async () => {
    await import(pathToFileURL(file).href)
  })
}

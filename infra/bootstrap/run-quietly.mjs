import { spawn } from 'node:child_process'
import { appendFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { BootstrapError } from './bootstrap-error.mjs'
import { toolchain } from './paths.mjs'

const logFile = join(toolchain, 'install.log')

/**
 * Runs a program, and writes its output to `.toolchain/install.log` instead of the terminal.
 *
 * @param {string} title name of the program in the error message
 * @param {string} program
 * @param {string[]} args
 * @param {import('node:child_process').SpawnOptions} options
 * @returns {Promise<string>} its output
 * @throws BootstrapError with the likely cause when it fails
 */
export async function runQuietly(title, program, args, options = {}) {
  const { code, output } = await collect(program, args, options)
  mkdirSync(toolchain, { recursive: true })
  appendFileSync(logFile, `$ ${program} ${args.join(' ')}\n${output}\n`)
  if (code !== 0) throw new BootstrapError(explain(title, program, code, output))
  return output
}

/**
 * Runs a program to its end and returns its output. Never throws.
 *
 * @param {string} program
 * @param {string[]} args
 * @param {import('node:child_process').SpawnOptions} options
 * @returns {Promise<{ code: number | string, output: string }>} `code` is an error code when it could not be started
 */
export function collect(program, args, options = {}) {
  return new Promise((resolve) => {
    const chunks = []
    const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
    child.stdout.on('data', (chunk) => chunks.push(chunk))
    child.stderr.on('data', (chunk) => chunks.push(chunk))
    const finish = (code) => resolve({ code, output: Buffer.concat(chunks).toString() })
    child.on('error', (error) => finish(error.code ?? 'ERROR'))
    child.on('close', (code, signal) => finish(code ?? signal ?? 'ERROR'))
  })
}

function explain(title, program, code, output) {
  if (code === 'ENOENT') return `${program} was not found; install npm (it comes with Node) and try again.`
  if (
    /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|ECONNRESET|ENETUNREACH|error sending request|dns error/i.test(output)
  ) {
    return `${title}: the npm registry cannot be reached. Check the network and \`npm config get registry\`.`
  }
  if (/EACCES|EROFS|EPERM|permission denied|read-only file system/i.test(output)) {
    return `${title}: a folder is not writable. ${lastInformativeLine(output)} (full output: .toolchain/install.log)`
  }
  if (/ENOSPC|no space left/i.test(output)) return `${title}: the disk is full.`
  return `${title} failed (${code}). ${lastInformativeLine(output)} (full output: .toolchain/install.log)`
}

function lastInformativeLine(output) {
  const lines = output.split('\n').map((line) => line.trim())
  const informative = lines.filter((line) => /err|fail|denied|cannot/i.test(line)).at(0) ?? lines.filter(Boolean).at(-1)
  return (informative ?? '').slice(0, 200)
}

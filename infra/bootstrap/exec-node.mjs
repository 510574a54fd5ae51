import { spawn } from 'node:child_process'
import { delimiter, dirname, join } from 'node:path'
import { root, toolchain } from './paths.mjs'

/** @typedef {{ flags: string[], script: string, args: string[] }} NodeRun */

/**
 * Runs a script with this process's terminal and signals, and exits with its exit code.
 *
 * @param {string} node
 * @param {NodeRun} run
 */
export function execNode(node, { flags, script, args }) {
  return new Promise((resolve, reject) => {
    const child = spawn(node, [...flags, script, ...args], { cwd: root, stdio: 'inherit', env: childEnv(node) })
    const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
    // The terminal sends Ctrl-C to the child as well; the child counts quick repeated signals as one.
    const forward = (signal) => child.kill(signal)
    for (const signal of signals) process.on(signal, forward)
    child.on('error', reject)
    child.on('close', (code, signal) => {
      for (const name of signals) process.off(name, forward)
      if (signal) process.kill(process.pid, signal)
      else process.exitCode = code ?? 1
      resolve()
    })
  })
}

function childEnv(node) {
  return {
    NODE_COMPILE_CACHE: join(toolchain, 'compile-cache'),
    ...process.env,
    PATH: `${dirname(node)}${delimiter}${process.env.PATH ?? ''}`,
  }
}

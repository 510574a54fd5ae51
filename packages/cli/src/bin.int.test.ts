import { execFile } from 'node:child_process'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'

const bin = path.join(import.meta.dirname, '..', 'bin', 'ratchet.mjs')
const env = { PATH: process.env.PATH, RATCHET_DATA_DIR: '/nonexistent/ratchet' }

it('runs from any folder', async () => {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [bin, '--help'], { cwd: tmpdir(), env })

  expect(stdout).toContain('Usage: ratchet')
  expect(stderr).toBe('')
})

it('forwards the exit code and standard error', async () => {
  const wrong = promisify(execFile)(process.execPath, [bin, 'admin', 'wallet'], { cwd: tmpdir(), env })

  await expect(wrong).rejects.toMatchObject({
    code: 2,
    stdout: '',
    stderr: "error: required option '--workspace <slug>' not specified\n",
  })
})

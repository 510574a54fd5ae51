import { createHash } from 'node:crypto'
import { appendFileSync, readFileSync } from 'node:fs'
import process from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { asMarkdown } from './as-markdown.mjs'
import { callJson } from './call-json.mjs'
import { keepComment } from './keep-comment.mjs'

const running = ['PENDING', 'RUNNING']
const pollMs = Number(process.env.RATCHET_POLL_MS ?? 5_000)

/** An input of the action: GitHub passes each as a variable. */
function input(name) {
  return (process.env[`INPUT_${name.toUpperCase()}`] ?? '').trim()
}

function required(name) {
  const value = input(name)
  if (value === '') throw new Error(`The input ${name} is missing.`)
  return value
}

function gateway() {
  const base = required('base-url').replace(/\/+$/, '')
  const authorization = `Bearer ${required('api-key')}`
  return (method, path, { body, headers } = {}) =>
    callJson(method, `${base}${path}`, { body, headers: { authorization, ...headers } })
}

/** Creates the eval of the file once for each attempt of the run, however often the request is repeated. */
async function createdEval(call) {
  const given = input('eval-id')
  const file = input('eval')
  if ((given === '') === (file === '')) throw new Error('Give one of the inputs eval and eval-id.')
  if (given !== '') return given
  const body = JSON.parse(readFileSync(file, 'utf8'))
  const hash = createHash('sha256').update(JSON.stringify(body)).digest('hex').slice(0, 16)
  const { GITHUB_RUN_ID: run, GITHUB_RUN_ATTEMPT: attempt } = process.env
  const key = `github-${run}-${attempt}-${input('comment')}-${hash}`.replace(/[^\w-]/g, '_')
  const { id } = await call('POST', '/v1/evals', { body, headers: { 'idempotency-key': key } })
  return id
}

async function finishedEval(call, id) {
  const endsAt = Date.now() + Number(input('timeout-minutes') || 60) * 60_000
  for (;;) {
    const found = await call('GET', `/v1/evals/${encodeURIComponent(id)}`)
    if (!running.includes(found.status)) return found
    if (Date.now() > endsAt)
      throw new Error(`The eval ${id} is ${found.status} after ${input('timeout-minutes')} minutes.`)
    await sleep(pollMs)
  }
}

/** A gate that does not pass answers 412 with its checks. */
async function gateOf(call, id) {
  const query = new URLSearchParams()
  for (const line of required('checks').split('\n')) {
    const at = line.indexOf('=')
    if (line.trim() === '') continue
    if (at === -1) throw new Error(`The check "${line.trim()}" is not of the form name=value.`)
    query.append(line.slice(0, at).trim(), line.slice(at + 1).trim())
  }
  try {
    const { candidate, checks } = await call('GET', `/v1/evals/${encodeURIComponent(id)}/gate?${query}`)
    return { passed: true, candidate, checks, message: '' }
  } catch (error) {
    const details = error.reply?.error?.details
    if (error.status !== 412 || details === undefined) throw error
    return { passed: false, candidate: details.candidate, checks: details.checks, message: error.message }
  }
}

function write(variable, text) {
  const file = process.env[variable]
  if (file !== undefined && file !== '') appendFileSync(file, `${text}\n`)
}

async function main() {
  const call = gateway()
  const id = await createdEval(call)
  write('GITHUB_OUTPUT', `eval-id=${id}`)
  const evaluated = await finishedEval(call, id)
  const gate = await gateOf(call, id)
  const markdown = asMarkdown(evaluated, gate)
  write('GITHUB_OUTPUT', `passed=${gate.passed}`)
  write('GITHUB_STEP_SUMMARY', markdown)
  if (input('comment') !== '') await keepComment(markdown, { name: input('comment'), token: input('github-token') })
  process.stdout.write(`${markdown}\n`)
  return gate.passed ? 0 : 1
}

process.exitCode = await main().catch((error) => {
  process.stdout.write(`::error::${String(error.message).replace(/%/g, '%25').replace(/\r?\n/g, '%0A')}\n`)
  return 2
})

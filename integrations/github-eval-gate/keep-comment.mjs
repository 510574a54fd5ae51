import { readFileSync } from 'node:fs'
import process from 'node:process'
import { callJson } from './call-json.mjs'

const pageSize = 100

/**
 * Writes the comment of this name on the pull request of the event, or rewrites it if it is there already. Nothing for an
 * event without a pull request.
 */
export async function keepComment(markdown, { name, token }) {
  const { GITHUB_EVENT_PATH: file, GITHUB_REPOSITORY: repository, GITHUB_API_URL: api } = process.env
  const number = file === undefined ? undefined : JSON.parse(readFileSync(file, 'utf8')).pull_request?.number
  if (number === undefined) return
  const marker = `<!-- ratchet-eval-gate: ${name.replace(/-->/g, '')} -->`
  const headers = { authorization: `Bearer ${token}`, 'x-github-api-version': '2022-11-28', 'user-agent': 'ratchet' }
  const body = { body: `${marker}\n${markdown}` }
  const comments = `${api}/repos/${repository}/issues/${number}/comments`
  const known = await findComment(comments, marker, headers)
  if (known === null) await callJson('POST', comments, { body, headers })
  else await callJson('PATCH', `${api}/repos/${repository}/issues/comments/${known}`, { body, headers })
}

async function findComment(comments, marker, headers) {
  for (let page = 1; ; page += 1) {
    const list = await callJson('GET', `${comments}?per_page=${pageSize}&page=${page}`, { headers })
    const found = list.find(({ body }) => body?.startsWith(marker))
    if (found !== undefined) return found.id
    if (list.length < pageSize) return null
  }
}

import { readFileSync } from 'node:fs'
import path from 'node:path'
import { buildProgram } from '@ratchet/cli/build-program'
import { recordingIo } from '@ratchet/cli/recording-io.fixture'
import { parse } from 'yaml'
import { repositoryRoot } from '../../fleet/data-paths.ts'
import { services } from '../../fleet/service-list.ts'
import { headings } from '../headings.ts'
import { checkCommand, type Known } from './check-command.ts'
import { shellCommands } from './shell-commands.ts'

const read = (file: string) => readFileSync(path.join(repositoryRoot, file), 'utf8')
const runbook = read('docs/operations.md')
const known: Known = {
  npmScripts: new Set(Object.keys(JSON.parse(read('package.json')).scripts)),
  ratchet: buildProgram(recordingIo(), () => undefined),
  composeServices: new Set(Object.keys(parse(read('docker-compose.yml')).services)),
  deployments: new Set(services.map(({ name }) => name)),
}

function problems(markdown: string): readonly string[] {
  return shellCommands(markdown).flatMap((command) => {
    const problem = checkCommand(command, known)
    return problem === null ? [] : [`${command.join(' ')}: ${problem}`]
  })
}

it.each(['docs/operations.md', 'packages/cli/README.md', 'README.md'])(
  '%s has no npm or ratchet command that does not exist',
  (file) => {
    const ours = shellCommands(read(file)).filter(([program = '']) => ['npm', 'npx'].includes(program))
    expect(ours.length).toBeGreaterThan(5)
    const wrong = ours.map((command) => [command.join(' '), checkCommand(command, known)])
    expect(wrong.filter(([, problem]) => problem !== null)).toEqual([])
  },
)

it('every command of the runbook can be checked, and exists', () => {
  expect(shellCommands(runbook).length).toBeGreaterThan(60)
  expect(problems(runbook)).toEqual([])
})

it('alerts and headings of the runbook correspond one to one', () => {
  const { groups } = parse(read('infra/prometheus/alerts.yaml')) as {
    groups: { rules: { alert: string; annotations: { runbook_url: string } }[] }[]
  }
  const rules = groups.flatMap(({ rules }) => rules)
  const kebab = (name: string) => name.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '-').toLowerCase()
  const section = runbook.slice(runbook.indexOf('\n## Alerts\n'))
  expect([...headings(section, 3)].sort()).toEqual(rules.map(({ alert }) => kebab(alert)).sort())
  const urls = rules.map(({ alert, annotations }) => [annotations.runbook_url, kebab(alert)])
  expect(urls.filter(([url, name]) => !url?.endsWith(`docs/operations.md#${name}`))).toEqual([])
})

it.each([
  ['npm run no-such-thing', 'there is no npm script no-such-thing'],
  ['npx ratchet admin burn', 'there is no command burn'],
  ['npx ratchet admin', 'it names no command'],
  ['npx ratchet admin audit --loudly', 'there is no option --loudly'],
  ['npx ratchet admin wallet', 'it needs --workspace'],
  ['npx ratchet admin revoke-key', 'it has too few words'],
  ['npx ratchet admin audit now', 'it has too many words'],
  ['docker compose restart interference', 'docker-compose.yml has no interference'],
  ['docker compose run --rm ratchet admin burn', 'there is no command burn'],
  ['kubectl -n ratchet scale deployment/judges --replicas=0', 'there is no deployment judges'],
  ['rm -rf .data', 'there is no check for rm'],
  ['psql x | npm run nothing', 'there is no npm script nothing'],
])('finds what is wrong with `%s`', (command, problem) => {
  expect(problems(`text\n\n\`\`\`sh\n${command}\n\`\`\`\n`)).toEqual([
    expect.stringMatching(new RegExp(`: ${problem}$`)),
  ])
})

it('reads commands with comments, quotes, loops, pipes and here-documents', () => {
  const block = [
    'npm stop && npm start -- --detach   # both',
    'for role in a b; do psql "$URL" -c "CREATE ROLE x_$role; SELECT 1"; done',
    'psql "$URL" <<\'SQL\'',
    'npm run not-a-command',
    'SQL',
    'pg_restore --dbname=x < "a file"',
  ]
  const words = shellCommands(['```sh', ...block, '```', 'and `npx ratchet status`, not `npx ratchet …`'].join('\n'))
  expect(words.map((each) => each.join(' '))).toEqual([
    'npm stop',
    'npm start -- --detach',
    'psql $URL -c CREATE ROLE x_$role; SELECT 1',
    'psql $URL',
    'pg_restore --dbname=x',
    'npx ratchet status',
  ])
})

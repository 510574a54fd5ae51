import { type EnvironmentTool, getEnvironmentTool } from '@ratchet/contracts/environment-tools'
import { getRouteApi } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { AboveList } from '../../../kit/above.tsx'
import { CodeBlock } from '../../../kit/code-block.tsx'
import { CopyText } from '../../../kit/copy-text.tsx'
import { Facts } from '../../../kit/facts.tsx'
import { count } from '../../../kit/numbers.ts'
import { Card, Page } from '../../../kit/page.tsx'
import { StateLabel } from '../../../kit/state-mark.tsx'
import { Loaded } from '../../../kit/states/loaded.tsx'
import { TimeText } from '../../../kit/time-text.tsx'
import styles from '../training.module.css'
import { coverageState, kindText, matchText, missText, shareText, statsText } from './tool-words.ts'
import { TryTool } from './try-tool.tsx'

const route = getRouteApi('/w/$slug/training/tools/$id')

/** A tool: what it is, how its calls go, and a call to try it. */
export function ToolPage(): ReactNode {
  const { id } = route.useParams()
  const found = useEndpoint(getEnvironmentTool, { params: { id } })
  return (
    <Page
      title={found.data?.name ?? 'Environment tool'}
      lead={<CopyText text={id} label="Copy the id of the tool" />}
      above={<AboveList of="training/tools" />}
    >
      <Loaded query={found}>{(tool) => <Parts tool={tool} />}</Loaded>
    </Page>
  )
}

function Parts({ tool }: { readonly tool: EnvironmentTool }): ReactNode {
  const { recorded, http } = tool
  return (
    <div className={styles.parts}>
      {tool.description !== '' && <p>{tool.description}</p>}
      <div className={styles.pair}>
        <Card title="Calls in runs">
          <Facts facts={callFacts(tool)} />
        </Card>
        <Card title="The tool">
          <Facts facts={toolFacts(tool)} />
        </Card>
      </div>
      {recorded !== null && <RecordedPart recorded={recorded} />}
      {http !== null && (
        <Card title="Address">
          <Facts
            facts={[
              ['URL', http.url],
              ['Secret headers', http.secret_header_names.length === 0 ? 'none' : http.secret_header_names.join(', ')],
              ['Time limit', `${count(http.timeout_ms)} ms, ${count(http.retries)} more tries`],
              ['Longest answer', `${count(http.max_response_bytes)} bytes`],
              ['At one time', `${count(http.max_concurrency)} calls`],
            ]}
          />
        </Card>
      )}
      <TryTool tool={tool} />
      <Card title="Arguments">
        <CodeBlock label="JSON Schema of the arguments" code={JSON.stringify(tool.parameters, null, 2)} />
      </Card>
    </div>
  )
}

function callFacts({ stats }: EnvironmentTool): readonly (readonly [string, ReactNode])[] {
  const time = (ms: number | null) => (ms === null ? '–' : `${count(Math.round(ms))} ms`)
  const found: readonly (readonly [string, ReactNode])[] =
    stats.hit_rate === null ? [] : [['Found', <Share key="found" share={stats.hit_rate} />]]
  return [
    ['Last calls', statsText(stats)],
    ['Too slow', count(stats.timeouts)],
    ['Time, middle and 95 %', `${time(stats.p50_ms)} / ${time(stats.p95_ms)}`],
    ...found,
  ]
}

function toolFacts(tool: EnvironmentTool): readonly (readonly [string, ReactNode])[] {
  return [
    ['Answers from', kindText(tool)],
    ['Version', count(tool.version)],
    ['Side effects', tool.side_effects ? 'yes: refused in runs' : 'none'],
    ['Calls of an episode', `at most ${count(tool.max_calls_per_rollout)}`],
    ['Changed', <TimeText key="at" at={tool.updated_at} />],
  ]
}

function RecordedPart({ recorded }: { readonly recorded: NonNullable<EnvironmentTool['recorded']> }): ReactNode {
  const { coverage_on_holdout: coverage } = recorded
  return (
    <Card title="Recordings">
      <Facts
        facts={[
          ['Found in traces that were left out', <Share key="coverage" share={coverage} />],
          ['Distinct calls', count(recorded.recordings)],
          ['Name in the traces', recorded.tool_name],
          ['Compared', matchText(recorded)],
          ['Without a recording', missText(recorded)],
        ]}
      />
    </Card>
  )
}

function Share({ share }: { readonly share: number | null }): ReactNode {
  return <StateLabel state={coverageState(share)}>{shareText(share)}</StateLabel>
}

import { getRaftRound, type RaftRound } from '@ratchet/contracts/raft'
import { getRouteApi, Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { usePolling } from '../../../api/use-polling.ts'
import { useWorkspaceSlug } from '../../../api/use-slug.ts'
import { AboveList } from '../../../kit/above.tsx'
import { CopyText } from '../../../kit/copy-text.tsx'
import { Facts } from '../../../kit/facts.tsx'
import { billText, nanoOfUsd } from '../../../kit/money.ts'
import { count, percent } from '../../../kit/numbers.ts'
import { Card, Page } from '../../../kit/page.tsx'
import { Progress } from '../../../kit/progress.tsx'
import { StateLabel, StateMark } from '../../../kit/state-mark.tsx'
import { Loaded } from '../../../kit/states/loaded.tsx'
import { Notice } from '../../../kit/states/notice.tsx'
import { TimeText } from '../../../kit/time-text.tsx'
import styles from '../training.module.css'
import { RoundActions } from './round-actions.tsx'
import {
  acceptedText,
  gainState,
  gainText,
  isUnderWay,
  precisionState,
  precisionText,
  statusOf,
  titleOf,
} from './round-words.ts'

const route = getRouteApi('/w/$slug/training/raft/$id')
const pollMs = 2_000

/** A round: how far it is, how pure what was kept is, and how much better the model became. */
export function RoundPage(): ReactNode {
  const { id } = route.useParams()
  const found = useEndpoint(getRaftRound, { params: { id } })
  usePolling(found.refetch, found.data !== undefined && isUnderWay(found.data), pollMs)
  return (
    <Page
      title={found.data === undefined ? 'Round' : titleOf(found.data)}
      lead={<CopyText text={id} label="Copy the id of the round" />}
      above={<AboveList of="training/raft" />}
      actions={found.data && <RoundActions round={found.data} />}
    >
      <Loaded query={found}>{(round) => <Parts round={round} />}</Loaded>
    </Page>
  )
}

interface RoundProps {
  readonly round: RaftRound
}

function Parts({ round }: RoundProps): ReactNode {
  const { word, state } = statusOf(round)
  const gain = gainText(round)
  const all = round.prompts * round.samples_per_prompt
  return (
    <div className={styles.parts}>
      {round.status_message !== null && <Notice state={state}>{round.status_message}</Notice>}
      {round.warnings.map((warning) => (
        <Notice key={warning} state="borderline">
          {warning}
        </Notice>
      ))}
      <Card title="Progress">
        <div className={styles.parts}>
          <StateLabel state={state}>{word}</StateLabel>
          <Progress label="Answers" done={round.generated} total={all} />
          <Progress
            label="Spent"
            done={round.cost_usd}
            total={round.max_cost_usd}
            format={(usd) => billText(nanoOfUsd(usd))}
          />
        </div>
      </Card>
      {gain !== null && (
        <Card title="Gain">
          <Notice state={gainState(round)}>{gain}</Notice>
        </Card>
      )}
      <div className={styles.pair}>
        <Card title="What was kept">
          <div className={styles.parts}>
            <Facts facts={keptFacts(round)} />
            {round.dataset_id !== null && <AuditLink id={round.id} />}
          </div>
        </Card>
        <Card title="The round">
          <RoundFacts round={round} />
        </Card>
      </div>
    </div>
  )
}

function AuditLink({ id }: { readonly id: string }): ReactNode {
  return (
    <Link to="/w/$slug/training/raft/$id/audit" params={{ slug: useWorkspaceSlug(), id }}>
      Grade what it was trained on, blind
    </Link>
  )
}

function keptFacts(round: RaftRound): readonly (readonly [string, ReactNode])[] {
  return [
    ['Accepted', acceptedText(round)],
    [
      'Precision',
      // Not a label, because an interval has to break into lines on a phone.
      <span key="precision">
        <StateMark state={precisionState(round)} /> {precisionText(round)}
      </span>,
    ],
    ['Least precision', percent(round.min_precision)],
    ['Prompts without an accepted answer', count(round.prompts_all_fail)],
    ['Prompts that every answer passed', count(round.prompts_all_pass)],
    ['Trained on', `${count(round.kept_examples)} answers, ${count(round.real_examples)} replies of the dataset`],
    ['Variety, of the first round', round.distinct_ratio === null ? '–' : percent(round.distinct_ratio)],
  ]
}

function RoundFacts({ round }: RoundProps): ReactNode {
  const slug = useWorkspaceSlug()
  const job = round.fine_tuning_job_id
  const previous = round.previous_round_id
  const version = round.model_version_id
  const evalId = round.eval_id
  return (
    <Facts
      facts={[
        ['Trained', round.base_model],
        ['Answered', round.start_model],
        ['Prompts', round.source_dataset_id ?? 'of the log'],
        ['Judge', round.criterion_id],
        ...(round.second_criterion_id === null ? [] : [['Second judge', round.second_criterion_id] as const]),
        [
          'Job',
          job === null ? (
            '–'
          ) : (
            <Link key="job" to="/w/$slug/training/jobs/$id" params={{ slug, id: job }}>
              {job}
            </Link>
          ),
        ],
        [
          'Version',
          version === null ? (
            '–'
          ) : (
            <Link key="version" to="/w/$slug/training/versions/$id" params={{ slug, id: version }}>
              {version}
            </Link>
          ),
        ],
        [
          'Eval',
          evalId === null ? (
            '–'
          ) : (
            <Link key="eval" to="/w/$slug/evals/$id" params={{ slug, id: evalId }}>
              {evalId}
            </Link>
          ),
        ],
        [
          'Follows',
          previous === null ? (
            '–'
          ) : (
            <Link key="previous" to="/w/$slug/training/raft/$id" params={{ slug, id: previous }}>
              round {count(round.round_index)}
            </Link>
          ),
        ],
        ['Started', <TimeText key="at" at={round.created_at} />],
      ]}
    />
  )
}

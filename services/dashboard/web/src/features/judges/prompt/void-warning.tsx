import { listAliases } from '@ratchet/contracts/aliases'
import { listCalibrations } from '@ratchet/contracts/calibrations'
import { listRounds } from '@ratchet/contracts/review-rounds'
import type { ReactNode } from 'react'
import { useEndpoint } from '../../../api/use-endpoint.ts'
import { AliasLinks } from '../../../kit/alias-links.tsx'
import { microOfUsd, moneyText } from '../../../kit/money.ts'
import { Notice } from '../../../kit/states/notice.tsx'
import { duration } from '../../../kit/time.ts'
import { useJudge } from '../detail/judge-context.ts'

/** What a change of the prompt, model or population throws away. */
export function VoidWarning(): ReactNode {
  const { id, trust } = useJudge()
  const calibrations = useEndpoint(listCalibrations, { params: { id }, query: { limit: 20 } }).data?.data ?? []
  const rounds = useEndpoint(listRounds, { query: { criterion_id: id, limit: 100 } }).data?.data ?? []
  const aliases = useEndpoint(listAliases, { query: { limit: 100 } }).data?.data ?? []
  const last = calibrations.find(({ status }) => status === 'DONE')
  if (trust === 'unmeasured' || last === undefined) return null
  const people = rounds.reduce((sum, { shown_ms: ms }) => sum + ms, 0)
  const gates = aliases.filter(({ gate_criterion_id: gate }) => gate === id).map(({ name }) => name)
  return (
    <Notice state="wrong">
      Saving this voids the calibration that cost {moneyText(microOfUsd(last.cost_usd))}
      {people > 0 && <> and rests on {duration(people)} of people</>}. The judge is unmeasured until it is calibrated
      again; the grades stay.
      {gates.length > 0 && (
        <>
          {' '}
          Gates of these aliases rely on it: <AliasLinks names={gates} />.
        </>
      )}
    </Notice>
  )
}

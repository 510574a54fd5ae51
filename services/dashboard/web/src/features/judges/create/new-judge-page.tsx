import { Button } from '@mantine/core'
import { CreateCriterion, createCriterion, listCriteria } from '@ratchet/contracts/criteria'
import { getRouteApi, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { z } from 'zod'
import { useWorkspace } from '../../../api/me.ts'
import { reasonAgainst } from '../../../api/rights.ts'
import { useAct } from '../../../api/use-act.ts'
import { useWorkspaceSlug } from '../../../api/use-slug.ts'
import { Column, Page } from '../../../kit/page.tsx'
import { ErrorState } from '../../../kit/states/error-state.tsx'
import { NotPermitted } from '../../../kit/states/not-permitted.tsx'
import { showErrorAt, useContractForm } from '../../../kit/use-contract-form.ts'
import { type CheckDraft, newCheck, readDrafts } from '../checks/check-draft.ts'
import { ChecksEditor } from '../checks/checks-editor.tsx'
import { JudgeFields } from './judge-fields.tsx'

const route = getRouteApi('/w/$slug/judges/new')

/** The model may be empty where checks judge. */
const NewJudge = CreateCriterion.extend({ judge_model: z.string() })

/** A new judge: what makes an answer fail, which model or checks judge, and which traffic. */
export function NewJudgePage(): ReactNode {
  const slug = useWorkspaceSlug()
  const navigate = useNavigate()
  const {
    name = '',
    judge_prompt: prompt = '',
    description,
    source,
    population_family: family = '',
  } = route.useSearch()
  const reason = reasonAgainst('owner_admin', useWorkspace())
  const [drafts, setDrafts] = useState<readonly CheckDraft[]>([newCheck('contains')])
  const [showsProblems, setShowsProblems] = useState(false)
  const form = useContractForm(NewJudge, {
    name,
    kind: 'model' as 'model' | 'code',
    judge_prompt: prompt,
    judge_model: '',
    description: description ?? null,
    unit: 'request' as 'request' | 'trace',
    population: '',
    population_family: family,
    source: source === 'assist_suggested' ? ('assist_suggested' as const) : ('human' as const),
  })
  const act = useAct(createCriterion, {
    changes: [listCriteria],
    onDone: ({ id }) => void navigate({ to: '/w/$slug/judges/$judge/try', params: { slug, judge: id } }),
  })
  const send = form.onSubmit(({ judge_model, ...values }) => {
    const checks = values.kind === 'code' ? readDrafts(drafts) : undefined
    setShowsProblems(checks === null)
    if (checks === null) return
    const body = { ...values, ...(checks === undefined ? { judge_model } : { checks }) }
    act.mutate({ body }, { onError: (error) => showErrorAt(form, error) })
  })
  return (
    <Page
      title="New judge"
      lead="Write what makes an answer fail. Everything else passes. Next you try it on real answers."
    >
      <form onSubmit={send}>
        <Column>
          <JudgeFields
            form={form}
            checks={<ChecksEditor drafts={drafts} onChange={setDrafts} showsProblems={showsProblems} />}
          />
          {act.error && <ErrorState error={act.error} />}
          <NotPermitted reason={reason}>
            {(disabled) => (
              <Button type="submit" disabled={disabled} loading={act.isPending}>
                Create the judge
              </Button>
            )}
          </NotPermitted>
        </Column>
      </form>
    </Page>
  )
}

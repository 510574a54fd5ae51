import type { GrpoRun } from '@ratchet/contracts/grpo'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useWorkspaceSlug } from '../../../api/use-slug.ts'
import { Facts } from '../../../kit/facts.tsx'
import { count, percent } from '../../../kit/numbers.ts'
import { Card } from '../../../kit/page.tsx'
import { TimeText } from '../../../kit/time-text.tsx'
import { holdoutText } from './run-words.ts'

/** What is trained, by which reward, and with which settings. */
export function RunFacts({ run }: { readonly run: GrpoRun }): ReactNode {
  const { prompts, hyperparameters: settings, holdout, metadata } = run
  return (
    <Card title="How it is trained">
      <Facts
        facts={[
          ['Model', run.base_model],
          ['Prompts', <Dataset key="data" id={run.dataset_id} />],
          [
            'Held out',
            run.eval_dataset_id === null ? 'a part of the prompts' : <Dataset key="eval" id={run.eval_dataset_id} />,
          ],
          [
            'Distinct prompts',
            `${count(prompts.train)} to train, ${count(prompts.guard)} for looks, ${count(prompts.proof)} for the eval`,
          ],
          ['Reward', rewardTerms(run)],
          ['Tools', toolsText(run)],
          ['Hold-out judge', holdoutText(run)],
          ['Looks', `every ${count(holdout.every_steps)} steps; when diverging: ${holdout.action}`],
          ['A step', `${count(settings.prompts_per_step)} prompts, ${count(settings.group_size)} answers each`],
          ['Learning rate', String(settings.learning_rate)],
          ['Loss', `${settings.loss_method}, weight of the divergence ${settings.kl_beta}`],
          ['LoRA', `rank ${settings.lora_rank}, alpha ${settings.lora_alpha}`],
          ['Longest answer', `${count(settings.max_output_tokens)} tokens`],
          ['Trainer', run.trainer],
          ['Seed', String(run.seed)],
          ...Object.entries(metadata ?? {}).map(([name, value]) => [name, value] as const),
          ['Created', <TimeText key="at" at={run.created_at} />],
          ['Ended', <TimeText key="end" at={run.finished_at} empty="not yet" />],
        ]}
      />
    </Card>
  )
}

/** The terms of the reward by weight. */
function rewardTerms({ reward }: GrpoRun): string {
  const { criteria, functions, tools } = reward
  const terms = [...criteria.map(({ criterion_id: name, ...term }) => ({ name, ...term })), ...functions, ...tools]
  return terms.map(({ name, weight, required }) => `${name} ${required ? 'required' : percent(weight)}`).join(', ')
}

function toolsText({ environment }: GrpoRun): string {
  if (environment === null) return 'none'
  const { tool_ids: ids, max_turns: turns, on_miss: onMiss } = environment
  const misses = onMiss === null ? '' : `; calls without a recording: ${onMiss}`
  return `${ids.join(', ')}; at most ${count(turns)} ${turns === 1 ? 'turn' : 'turns'}${misses}`
}

function Dataset({ id }: { readonly id: string }): ReactNode {
  const slug = useWorkspaceSlug()
  if (id === '') return 'deleted'
  return (
    <Link to="/w/$slug/datasets/$id" params={{ slug, id }}>
      {id}
    </Link>
  )
}

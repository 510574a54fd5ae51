/**
 * Columns that can hold what a person wrote, or what was written about them, and that an erasure empties or deletes. All other
 * columns of texts are in `other-columns.ts`. A column that is in neither fails `every-column.int.test.ts`: decide where it
 * belongs, and erase it in its service's `erasure` folder when it is of a person.
 */
export const erasedColumns: Readonly<Record<string, readonly string[]>> = {
  // Of the alias service.
  webhook_event: ['body'],
  webhook_delivery: ['attempts'],
  shadow_sample: ['last_error'],
  // Of the dashboard.
  budget: ['subject'],
  saved_view: ['views'],
  audit_event: ['before', 'after'],
  audit_log: ['content'],
  // Of evals.
  eval_sample: ['prompt', 'reference', 'recorded', 'last_error'],
  eval_answer: ['message', 'error'],
  eval_look: ['explanation'],
  eval_panel_verdict: ['explanation'],
  batch_line: ['custom_id', 'body', 'response', 'error', 'last_error'],
  // Of inference.
  end_user: ['name'],
  stored_response: ['input_items', 'reply'],
  idempotency_record: ['headers', 'body'],
  failed_request: ['message'],
  workspace_warning: ['about', 'data'],
  // Of judging.
  label: ['rationale', 'external_id'],
  label_snapshot: ['messages', 'response', 'tools'],
  judgement: ['explanation', 'judged_response', 'last_error'],
  review_grade: ['rationale'],
  deleted_improvement: ['items'],
  judging_notice: ['data'],
  judging_answer: ['answer'],
  // Of the log.
  exchange_block: ['content'],
  exchange_content: ['messages', 'response', 'tools', 'response_format', 'params'],
  span: ['attributes', 'name'],
  feedback: ['comment'],
  dataset_example: ['line'],
  file_chunk: ['content'],
  logging_answer: ['answer'],
  // Of training.
  grpo_prompt: ['messages', 'tools', 'reference'],
  grpo_rollout: ['completion', 'token_ids', 'logprobs', 'token_mask', 'terms'],
  grpo_verdict: ['explanation'],
  grpo_grade: ['rationale'],
  raft_prompt: ['prompt'],
  raft_sample: ['completion'],
  raft_grade: ['rationale'],
  distill_prompt: ['prompt'],
  distill_sample: ['completion'],
  tool_call: ['answer'],
  tool_recording: ['arguments', 'result', 'compared'],
  training_notice: ['data'],
  training_answer: ['answer'],
  // Of voice.
  call: [
    'overrides',
    'variables',
    'metadata',
    'secret_ciphertext',
    'spoken_now',
    'from_number',
    'to_number',
    'carrier',
    'dialog',
  ],
  call_turn: ['text', 'tool'],
  call_event: ['body'],
  call_command: ['body'],
  call_recording_chunk: ['sealed'],
  voice_notice: ['data'],
  voice_answer: ['answer'],
}

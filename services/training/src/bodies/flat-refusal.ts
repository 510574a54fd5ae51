/** A refusal of a body that is answered with 400 and `{"error": "<message>"}` instead of the envelope. */
export class FlatRefusal extends Error {
  override name = 'FlatRefusal'
}

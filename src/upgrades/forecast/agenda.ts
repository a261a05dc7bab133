import { KeyedHeap } from './keyed-heap.ts';

/** What is to be done in which pass. */
export class Agenda<Task> {
  readonly #tasks = new KeyedHeap<Task>();

  /** The next pass with a task; infinite without any. */
  get next(): number {
    return this.#tasks.first;
  }

  add(pass: number, task: Task): void {
    if (pass !== Number.POSITIVE_INFINITY) this.#tasks.push(pass, task);
  }

  /** Takes the tasks of a pass; those of earlier ones were taken before. */
  take(pass: number): Task[] {
    const due: Task[] = [];
    while (this.#tasks.first <= pass) due.push(this.#tasks.pop() as Task);
    return due;
  }
}

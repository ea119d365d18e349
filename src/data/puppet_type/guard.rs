//! The state of a walk through types and values. Recursive aliases end as in Puppet, and hostile ones end with an error.

/// Deeper walks fail, as Ruby does when its stack is full.
const MAX_DEPTH: u32 = 1_500;

/// Walks into a value may be deeper, because they end where the value ends.
const MAX_DEPTH_IN_VALUE: u32 = 6_000;

/// Walks with more steps fail. No type that people write needs them.
const MAX_STEPS: u32 = 30_000_000;

const IN_THIS: u8 = 1;
const IN_THAT: u8 = 2;

/// A recursive alias was met again on both sides, so further steps cannot change the result.
const IN_BOTH: u8 = IN_THIS | IN_THAT;

/// The path from the first type to the current one, and the reason why the walk stopped.
#[derive(Debug, Default)]
pub(super) struct Guard {
    /// `None` until a recursive alias is met.
    recursion: Option<Recursion>,
    depth: u32,
    steps: u32,
    failure: Option<String>,
}

#[derive(Debug, Default)]
struct Recursion {
    state: u8,
    this: Vec<usize>,
    that: Vec<usize>,
}

impl Guard {
    /// Puppet's error message if the walk failed, so that its result is invalid.
    pub(super) fn failure(self) -> Option<String> {
        self.failure
    }

    pub(super) fn fail(&mut self, message: String) {
        self.failure.get_or_insert(message);
    }

    pub(super) fn has_failed(&self) -> bool {
        self.failure.is_some()
    }

    /// Whether the walk is inside of a recursive alias.
    pub(super) fn remembers(&self) -> bool {
        self.recursion.is_some()
    }

    /// One step down. After the walk has failed, the result is always `false`.
    pub(super) fn step(&mut self, walk: impl FnOnce(&mut Self) -> bool) -> bool {
        self.step_within(MAX_DEPTH, walk)
    }

    /// One step down into a value.
    pub(super) fn step_into(&mut self, walk: impl FnOnce(&mut Self) -> bool) -> bool {
        self.step_within(MAX_DEPTH_IN_VALUE, walk)
    }

    fn step_within(&mut self, most: u32, walk: impl FnOnce(&mut Self) -> bool) -> bool {
        self.steps += 1;
        if self.depth >= most || self.steps >= MAX_STEPS {
            self.fail("stack level too deep".to_owned());
        }
        if self.has_failed() {
            return false;
        }
        self.depth += 1;
        let answer = walk(self);
        self.depth -= 1;
        answer
    }

    /// A walk that ignores the aliases met so far.
    pub(super) fn afresh<T>(&mut self, walk: impl FnOnce(&mut Self) -> T) -> T {
        let met = self.recursion.take();
        let answer = walk(self);
        self.recursion = met;
        answer
    }

    /// A walk that remembers recursive aliases. If it creates the memory, the memory ends with the walk.
    fn remembering<T>(&mut self, walk: impl FnOnce(&mut Self) -> T) -> T {
        let is_new = self.recursion.is_none();
        self.recursion.get_or_insert_default();
        let answer = walk(self);
        if is_new {
            self.recursion = None;
        }
        answer
    }

    /// Walks through the expected alias `this`, and tells the walk whether it was met on both sides.
    pub(super) fn through_this<T>(
        &mut self,
        this: usize,
        walk: impl FnOnce(&mut Self, bool) -> T,
    ) -> T {
        self.remembering(|guard| {
            guard.through(IN_THIS, this, |guard, state| walk(guard, state == IN_BOTH))
        })
    }

    /// Walks through `this`, and tells the walk whether it was met before.
    pub(super) fn through_this_once<T>(
        &mut self,
        this: usize,
        walk: impl FnOnce(&mut Self, bool) -> T,
    ) -> T {
        self.remembering(|guard| {
            guard.through(IN_THIS, this, |guard, state| walk(guard, state & IN_THIS != 0))
        })
    }

    /// Walks through the value `that`.
    pub(super) fn through_that<T>(&mut self, that: usize, walk: impl FnOnce(&mut Self) -> T) -> T {
        self.remembering(|guard| guard.through(IN_THAT, that, |guard, _| walk(guard)))
    }

    /// Remembers the alias `that` permanently, and tells whether an alias was met again on both sides.
    pub(super) fn add_that<T>(
        &mut self,
        that: usize,
        walk: impl FnOnce(&mut Self, bool) -> T,
    ) -> T {
        self.remembering(|guard| {
            let recursion = guard.recursion.get_or_insert_default();
            if recursion.state & IN_THAT == 0 {
                if recursion.that.contains(&that) {
                    recursion.state |= IN_THAT;
                } else {
                    recursion.that.push(that);
                }
            }
            let is_in_both = recursion.state == IN_BOTH;
            walk(guard, is_in_both)
        })
    }

    fn through<T>(&mut self, side: u8, met: usize, walk: impl FnOnce(&mut Self, u8) -> T) -> T {
        let recursion = self.recursion.get_or_insert_default();
        if recursion.state & side == 0 {
            let known = if side == IN_THIS { &mut recursion.this } else { &mut recursion.that };
            if known.contains(&met) {
                recursion.state |= side;
            } else {
                known.push(met);
                let state = recursion.state;
                let answer = walk(self, state);
                let recursion = self.recursion.get_or_insert_default();
                recursion.state &= !side;
                let known = if side == IN_THIS { &mut recursion.this } else { &mut recursion.that };
                known.retain(|it| *it != met);
                return answer;
            }
        }
        let state = recursion.state;
        walk(self, state)
    }
}

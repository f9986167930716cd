//! Recursion is refused: a cycle in the call graph is an error. Spec: OpenCL C, "Restrictions".

use super::Sema;
use crate::hir::FnId;

impl Sema<'_> {
    /// Reports every cycle of calls once, at the call that closes it.
    pub(super) fn check_recursion(&mut self) {
        let n = self.fns.len();
        let mut edges: Vec<Vec<usize>> = vec![Vec::new(); n];
        for (i, edge) in self.calls.iter().enumerate() {
            if let Some(list) = edges.get_mut(edge.caller.0 as usize) {
                list.push(i);
            }
        }
        #[derive(Clone, Copy, PartialEq)]
        enum Mark {
            New,
            Open,
            Done,
        }
        let mut marks = vec![Mark::New; n];
        for root in 0..n {
            if marks[root] != Mark::New {
                continue;
            }
            // Depth first with an explicit stack: (function, next edge).
            let mut stack = vec![(root, 0usize)];
            marks[root] = Mark::Open;
            while let Some(&(f, at)) = stack.last() {
                let Some(&edge) = edges[f].get(at) else {
                    marks[f] = Mark::Done;
                    stack.pop();
                    continue;
                };
                if let Some(top) = stack.last_mut() {
                    top.1 += 1;
                }
                let callee = self.calls[edge].callee.0 as usize;
                match marks.get(callee) {
                    Some(Mark::New) => {
                        marks[callee] = Mark::Open;
                        stack.push((callee, 0));
                    }
                    Some(Mark::Open) => {
                        let path: Vec<usize> = stack.iter().map(|&(f, _)| f).skip_while(|&f| f != callee).collect();
                        self.report_cycle(edge, &path);
                    }
                    Some(Mark::Done) | None => {}
                }
            }
        }
    }

    fn report_cycle(&mut self, edge: usize, path: &[usize]) {
        let edge = self.calls[edge];
        let name = |sema: &Self, f: FnId| sema.text(sema.fns[f.0 as usize].name).to_owned();
        let callee = name(self, edge.callee);
        if path.len() <= 1 {
            self.err(edge.span, format!("recursion is not supported: '{callee}' calls itself"));
            return;
        }
        let caller = name(self, edge.caller);
        let names: Vec<String> = path.iter().map(|&f| format!("'{}'", name(self, FnId(f as u32)))).collect();
        let text = format!("recursion is not supported: '{caller}' calls '{callee}' again");
        let note = format!("the cycle is {} → '{callee}'", names.join(" → "));
        self.err_note(edge.span, text, self.fns[edge.callee.0 as usize].span, note);
    }
}

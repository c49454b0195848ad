"""How much memory a cell will take, from the structures that each library builds."""
